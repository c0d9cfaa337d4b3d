import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createToolHost, type CallResult, type ToolHost } from '../../../src/index.ts'
import { childrenOf, isGone } from '../../../src/sandbox/process-tree.ts'
import { describeConfined, isForRootAlone } from '../../helpers/confined.ts'
import { innermost } from '../../helpers/innermost.ts'
import { makeFolder } from '../../helpers/folders.ts'
import { defineTools, patience } from '../../escape/attack.ts'

const PROFILES = ['required', 'preferred', 'none'].map((confinement) => ({
  name: confinement,
  engine: 'isolate',
  confinement,
}))
const SOURCE = defineTools({ adds: 'return args.a + 1', spins: 'for (;;);' })

interface Opened {
  readonly host: ToolHost
  readonly file: string
  readonly said: readonly string[]
  run(name: string): Promise<CallResult>
}

/** A host whose programs are looked for in `path`. */
async function open(path?: string, profiles: readonly object[] = PROFILES): Promise<Opened> {
  const folder = makeFolder('caisson-escape-')
  const file = join(folder, 'tools.mjs')
  await writeFile(file, SOURCE)
  const said: string[] = []
  const before = process.env['PATH'] ?? ''
  process.env['PATH'] = path ?? before
  const host = createToolHost({ profiles, maxRunners: 2, logger: (line) => void said.push(line) })
  process.env['PATH'] = before
  onTestFinished(() => host.close())
  const run = (name: string): Promise<CallResult> => {
    const { signal } = new AbortController()
    return host.tools.execute({ callId: randomUUID(), name, arguments: { a: 1 }, signal })
  }
  return { host, file, said, run }
}

/** Ids of the processes that are Node in each runner. */
function nodesOf(host: ToolHost): number[] {
  return host.childPids().map(innermost)
}

describe('without bubblewrap', () => {
  test('confinement: required is SANDBOX_UNAVAILABLE, says how to install it, and starts nothing', async () => {
    const { host, file } = await open(makeFolder('caisson-escape-'))
    await expect(host.tools.load(file, { profile: 'required' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: expect.stringMatching(/^[^\n]*install[^\n]*bubblewrap[^\n]*$/) as string,
    })
  })

  test('confinement: preferred runs, and the host says once that nothing confines its runners', async () => {
    const { host, file, said, run } = await open(makeFolder('caisson-escape-'))
    const loaded = await host.tools.load(file, { profile: 'preferred' })
    const result = await run('adds')
    expect(result).toMatchObject({ isError: false, value: 2 })
    expect(result).not.toHaveProperty('confinement')
    await loaded.dispose()
    await host.tools.load(file, { profile: 'preferred' })
    expect(said.filter((line) => line.includes('not confined'))).toHaveLength(1)
    expect(said.join('\n')).toContain('bubblewrap')
  })

  test('a bwrap that breaks is not believed, and what requires it is refused', async () => {
    const folder = makeFolder('caisson-escape-')
    const broken = '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n'
    await writeFile(join(folder, 'bwrap'), broken, { mode: 0o755 })
    const { host, file, run } = await open(folder)
    await expect(host.tools.load(file, { profile: 'required' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    })
    await host.tools.load(file, { profile: 'preferred' })
    expect(await run('adds')).toMatchObject({ value: 2 })
  })

  test('BUG-14 a bwrap that merely starts what it is given confines nothing, and is found out', async () => {
    const folder = makeFolder('caisson-escape-')
    const fake = `#!/bin/bash
      while [ "$1" != -- ]; do shift; done; shift
      args=(); for one in "$@"; do [ "$one" = /caisson/env ] || [ "$one" = -i ] || args+=("$one"); done
      args[0]=${process.execPath}; exec "\${args[@]}"\n`
    await writeFile(join(folder, 'bwrap'), fake, { mode: 0o755 })
    const { host, file } = await open(folder)
    await expect(host.tools.load(file, { profile: 'required' })).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    })
  })
})

describeConfined('with bubblewrap', () => {
  test('a runner has namespaces of its own and a disk with nothing but Node', async () => {
    const { host, file, run } = await open()
    await host.tools.load(file, { profile: 'required' })
    expect(await run('adds')).toMatchObject({ isError: false, value: 2 })
    const nodes = nodesOf(host)
    expect(nodes.length).toBeGreaterThan(0)
    for (const pid of nodes) {
      const own = ['net', 'pid', 'mnt', 'ipc', 'uts', 'cgroup', ...(isForRootAlone ? [] : ['user'])]
      for (const name of own) {
        const theirs = readlinkSync(`/proc/${pid}/ns/${name}`)
        expect(theirs, name).not.toBe(readlinkSync(`/proc/self/ns/${name}`))
      }
      const status = readFileSync(`/proc/${pid}/status`, 'latin1')
      expect(status).toMatch(/^Seccomp:\t2$/m)
      expect(status).toMatch(/^NoNewPrivs:\t1$/m)
      // A spare that is still booting has yet to become nobody, where root alone may start it.
      await expect
        .poll(() => readFileSync(`/proc/${pid}/status`, 'latin1'), { timeout: 5_000 })
        .toMatch(/^CapEff:\t0+$/m)
      expect(readdirSync(`/proc/${pid}/root`).every((name) => !/etc|proc|dev|tmp/.test(name))).toBe(
        true,
      )
      const mounts = readFileSync(`/proc/${pid}/mounts`, 'latin1').trim().split('\n')
      for (const mount of mounts) expect(mount.split(' ')[3]).toMatch(/(^|,)ro(,|$)/)
    }
  })

  test('what its deadline ends is gone from the process table when the call settles', async () => {
    const { host, file, run } = await open()
    await host.tools.load(file, { profile: 'required', timeoutMs: 300 })
    await run('adds')
    const before = nodesOf(host)
    const begun = performance.now()
    const result = await run('spins')
    expect(performance.now() - begun).toBeLessThan(300 + 50 + 500 * patience())
    expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_TIMEOUT' } })
    expect(result).not.toHaveProperty('error.unconfirmed')
    expect(before.filter(isGone)).toHaveLength(1)
  })

  test('SIGKILL of bubblewrap from outside ends the Node inside', async () => {
    const { host, file, run } = await open()
    await host.tools.load(file, { profile: 'required' })
    await run('adds')
    const trees = host.childPids().map((pid) => [pid, ...childrenOf(pid), innermost(pid)])
    const call = run('spins')
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (const [outer = 0] of trees) process.kill(outer, 'SIGKILL')
    expect(await call).toMatchObject({ error: { code: 'TOOL_CRASHED', signal: 'SIGKILL' } })
    await expect.poll(() => trees.flat().every(isGone), { timeout: 2_000 }).toBe(true)
    expect(await run('adds')).toMatchObject({ value: 2 })
  })

  test('confinement: none starts a runner without, and every result says so', async () => {
    const { host, file, run } = await open()
    await host.tools.load(file, { profile: 'none' })
    expect(await run('adds')).toMatchObject({ value: 2, confinement: 'none' })
    const shared = nodesOf(host).filter(
      (pid) => readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net'),
    )
    expect(shared.length).toBeGreaterThan(0)
  })

  test('a cgroup holds a runner wherever the host may make one', async () => {
    const strict = { name: 'strict', engine: 'isolate', kernelLimits: 'required' }
    const opened = await open(undefined, [strict]).catch((error: unknown) => error)
    if (!(typeof opened === 'object' && opened !== null && 'host' in opened)) {
      expect(opened).toMatchObject({ code: 'CONFIG_INVALID' })
      return
    }
    const { host, file, run } = opened as Opened
    await host.tools.load(file, { profile: 'strict' })
    expect(await run('adds')).toMatchObject({ value: 2 })
    const groups = nodesOf(host).map((pid) => readFileSync(`/proc/${pid}/cgroup`, 'latin1'))
    expect(groups.length).toBeGreaterThan(0)
    for (const group of groups) expect(group).toContain(`caisson-${process.pid}-`)
  })
})
