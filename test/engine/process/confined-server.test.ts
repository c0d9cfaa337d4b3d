import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { createProcessEngine, type ProcessEngine } from '../../../src/engine/process/engine.ts'
import type { ConfinedServer } from '../../../src/engine/process/confined-server.ts'
import { loadProfiles } from '../../../src/sandbox/load-profiles.ts'
import { isGone } from '../../../src/sandbox/process-tree.ts'
import { findSleepers, uniqueSeconds } from '../../escape/program-arena.ts'
import { describeConfined } from '../../helpers/confined.ts'
import { removeFolder } from '../../helpers/folders.ts'

const folder = mkdtempSync(join(tmpdir(), 'caisson-server-'))
afterAll(() => removeFolder(folder))
const profile = loadProfiles().resolve('mcp-server')
const ECHO = 'while read -r line; do echo "echo $line"; done'

describeConfined('createConfinedServer()', () => {
  let engine: ProcessEngine
  beforeEach(() => {
    engine = createProcessEngine({
      shim: () => Promise.reject(new Error('no module is loaded here')),
      workspace: folder,
      hostPath: process.env['PATH'] ?? '',
      maxPrograms: 2,
      loadTimeoutMs: 5_000,
      diagnose: () => undefined,
    })
  })
  afterEach(() => engine.close())
  const serve = (script: string): Promise<ConfinedServer> =>
    engine.serve({ argv: ['/bin/sh', '-c', script], env: { OWN: 'set' }, root: folder, profile })

  test('a server answers for as long as it runs', async () => {
    const server = await serve(ECHO)
    const lines = createInterface({ input: server.stdout })
    for (const text of ['one', 'two']) {
      server.stdin.write(`${text}\n`)
      expect(await once(lines, 'line')).toEqual([`echo ${text}`])
    }
    expect(server.hasEnded).toBe(false)
    expect(engine.pids()).toContain(server.pid)
    expect(await server.stop(2_000)).toMatchObject({ lifetimeMs: expect.any(Number) })
    expect(server.hasEnded).toBe(true)
    expect(engine.pids()).toEqual([])
  })

  test('it gets the settings that are its own, besides those of its profile', async () => {
    const server = await serve('echo "$OWN $HOME $(hostname)"')
    const lines = createInterface({ input: server.stdout })
    expect(await once(lines, 'line')).toEqual(['set /home/tool caisson'])
    expect(await server.ended).toMatchObject({ cause: 'exit', exitCode: 0 })
  })

  test('stop() kills what does not go, and all it has started', async () => {
    const seconds = uniqueSeconds()
    const server = await serve(
      `trap "" TERM; setsid sleep ${seconds} & while :; do sleep ${seconds}; done`,
    )
    await expect.poll(() => findSleepers(seconds).length, { timeout: 5_000 }).toBe(2)
    await server.stop(100)
    expect(findSleepers(seconds)).toEqual([])
    expect(isGone(server.pid ?? 0)).toBe(true)
  })

  test('one that ends by itself tells how, and another can be started', async () => {
    const first = await serve('exit 3')
    expect(await first.ended).toMatchObject({ cause: 'exit', exitCode: 3 })
    const second = await serve('kill -9 $$')
    expect(await second.ended).toMatchObject({ cause: 'exit', signal: 'SIGKILL' })
  })

  test('close() of the engine leaves none, and none is started afterwards', async () => {
    const seconds = uniqueSeconds()
    const server = await serve(`setsid sleep ${seconds} & sleep ${seconds}`)
    await engine.close()
    expect((await server.ended).cause).toBe('killed')
    expect(findSleepers(seconds)).toEqual([])
    await expect(serve('true')).rejects.toMatchObject({ code: 'HOST_CLOSED' })
  })
})
