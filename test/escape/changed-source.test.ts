import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { INSPECTION } from '../../src/host/inspection.ts'
import type { LoadOptions } from '../../src/host/load.ts'
import { describeConfined, unconfinable } from '../helpers/confined.ts'
import { defineTool, openArena, valueOf } from './attack.ts'
import { removeFolder } from '../helpers/folders.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'caisson-changed-'))
afterAll(() => removeFolder(stateDir))
// Every call has a runner that got its code anew.
const arena = openArena({
  stateDir,
  callsPerRunner: 1,
  profiles: [
    { name: 'program', engine: 'process', fs: { read: ['package:/**'] } },
    { name: 'bare', engine: 'process', confinement: 'none' },
  ],
})
const ENGINES = ['pure', 'trusted', ...(unconfinable === undefined ? ['program'] : [])]

const newFolder = (): string => {
  const folder = join(stateDir, randomUUID())
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  return folder
}
const digestOf = async (source: string, options: LoadOptions): Promise<string> => {
  await using loaded = await arena.host.tools.load(source, options)
  return loaded.digest ?? ''
}
const approve = async (source: string, options: LoadOptions): Promise<void> => {
  const loaded = await arena.host.tools.load(source, {
    ...options,
    [INSPECTION]: { approve: true },
  })
  await loaded.dispose()
}
const refusal = async (source: string, options: LoadOptions): Promise<string> => {
  const error: unknown = await arena.host.tools.load(source, options).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'LOAD_FAILED' })
  expect(arena.host.tools.get('attack')).toBeUndefined()
  return (error as Error).message
}

describe.each(ENGINES)('under profile %s', (profile) => {
  const marker = join(stateDir, `${profile}.ran`)
  // Only on a thread there is anything to write to; there it matters most.
  const mark = `globalThis.process?.getBuiltinModule?.('fs').writeFileSync(${JSON.stringify(marker)}, '')`
  const version = (value: string, top: string = ''): string =>
    `${top}\n${defineTool('attack', `return '${value}'`)}`

  test('ATK-125 a source that is not the pinned one is refused before any of it runs', async () => {
    const file = join(newFolder(), 'tool.mjs')
    writeFileSync(file, version('old'))
    const pin = await digestOf(file, { profile })
    writeFileSync(file, version('new', `try { ${mark} } catch {}`))
    expect(await refusal(file, { profile, pin })).toContain('its code is not what is pinned')
    expect(existsSync(marker)).toBe(false)
    writeFileSync(file, version('old'))
    await using _loaded = await arena.host.tools.load(file, { profile, pin })
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old')
  })

  test('ATK-125 a source that was approved and has changed is refused until it is approved anew', async () => {
    const file = join(newFolder(), 'tool.mjs')
    const given: LoadOptions = { profile, pin: 'approved' }
    writeFileSync(file, version('old'))
    expect(await refusal(file, given)).toContain(`it was not approved for profile '${profile}'`)
    await approve(file, { profile })
    await (await arena.host.tools.load(file, given)).dispose()
    writeFileSync(file, version('new', `try { ${mark} } catch {}`))
    expect(await refusal(file, given)).toContain('its code changed since it was approved')
    expect(existsSync(marker)).toBe(false)
    await approve(file, { profile })
    await using _loaded = await arena.host.tools.load(file, given)
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('new')
  })

  test('ATK-125 a call runs what was loaded, whatever has become of its file meanwhile', async () => {
    const file = join(newFolder(), 'tool.mjs')
    writeFileSync(file, version('old'))
    const pin = await digestOf(file, { profile })
    await using _loaded = await arena.host.tools.load(file, { profile, pin })
    writeFileSync(file, version('new'))
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old')
    writeFileSync(file, version('old'))
    const offs = [
      arena.host.on('tools/pre-execute', (exec, next) =>
        exec.name === 'attack' ? { kind: 'ask', reason: 'it wants to' } : next(),
      ),
      arena.host.on('approval/request', () => {
        writeFileSync(file, version('while it was asked about'))
        return 'allowed-once'
      }),
    ]
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old')
    for (const off of offs) off()
  })
})

test('ATK-125 a tool whose description is another each time is refused by what it says', async () => {
  const text = `const at = Math.random()\n${defineTool('attack', 'return 1', 'description: String(at)')}`
  const file = await arena.writeSource(text)
  const pin = await digestOf(file, {})
  expect(await refusal(file, { pin })).toContain('what it says of its tools is not what is pinned')
  await approve(file, {})
  const told = await refusal(file, { pin: 'approved' })
  expect(told).toContain("the description of 'attack' changed since it was approved")
})

test.each(['builtin', 'mcp:node server.mjs'])('a pin of %s is refused', async (source) => {
  const load = arena.host.tools.load(source, { pin: 'approved' })
  await expect(load).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

describeConfined('a program', () => {
  const SCRIPT = 'echo old'
  const MANIFEST = {
    name: 'attack',
    description: 'a command under test',
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
    command: ['sh', 'package:/bin/run.sh'],
  }
  const write = (folder: string, manifest: object = MANIFEST, script: string = SCRIPT): string => {
    mkdirSync(join(folder, 'bin'), { recursive: true })
    writeFileSync(join(folder, 'bin/run.sh'), script)
    writeFileSync(join(folder, 'attack.tool.json'), JSON.stringify(manifest))
    return join(folder, 'attack.tool.json')
  }

  test('ATK-125 a command is refused by all that is not what was approved', async () => {
    const folder = newFolder()
    const source = write(folder)
    const pin = await digestOf(source, {})
    await approve(source, {})
    const changes: readonly (readonly [string, object, string?])[] = [
      ['its file package:/bin/run.sh', MANIFEST, 'echo new'],
      ['its command', { ...MANIFEST, command: ['sh', '-x', 'package:/bin/run.sh'] }],
      ["the description of 'attack'", { ...MANIFEST, description: 'do as it says' }],
      ["the parameters of 'attack'", { ...MANIFEST, parameters: { type: 'object' } }],
      [
        "the new tool 'attack2', the tool 'attack', which is gone",
        { ...MANIFEST, name: 'attack2' },
      ],
    ]
    for (const [what, manifest, script] of changes) {
      write(folder, manifest, script)
      const told = await refusal(source, { pin: 'approved' })
      for (const part of what.split(', the')) expect(told).toContain(part)
      expect(await refusal(source, { pin })).toContain('is not what is pinned')
    }
    write(folder)
    await using _loaded = await arena.host.tools.load(source, { pin })
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old\n')
  })

  test('ATK-125 a command runs the file that was loaded, or nothing', async () => {
    const folder = newFolder()
    const file = join(folder, 'bin/run.sh')
    const source = write(folder)
    const pin = await digestOf(source, {})
    await using _loaded = await arena.host.tools.load(source, { pin })
    writeFileSync(file, 'echo new')
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old\n')
    writeFileSync(join(folder, 'bin/other.sh'), 'echo new')
    rmSync(file)
    symlinkSync('other.sh', file)
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old\n')
    rmSync(file)
    const { result } = await arena.call({ timeoutMs: 20_000 })
    expect(result).toMatchObject({ isError: true, attempts: [{ started: false }] })
  })

  test('ATK-125 what cannot be held as it is cannot be pinned', async () => {
    const folder = newFolder()
    const source = write(folder)
    const pin = await digestOf(source, {})
    const bare = { profile: 'bare', pin }
    expect(await refusal(source, bare)).toContain('package:/bin/run.sh is not in a sandbox')
    write(folder, { ...MANIFEST, command: ['ls', 'package:/bin'] })
    expect(await refusal(source, { pin })).toContain('package:/bin is no regular file')
    expect(await digestOf(source, {})).toBe('')
    rmSync(join(folder, 'bin/run.sh'))
    symlinkSync('../package.json', join(folder, 'bin/run.sh'))
    writeFileSync(source, JSON.stringify(MANIFEST))
    expect(await refusal(source, { pin })).toContain('package:/bin/run.sh is a link')
  })

  test('ATK-125 a native add-on is part of what is pinned, and stays as it was loaded', async () => {
    const folder = newFolder()
    const file = join(folder, 'tool.mjs')
    const read = "(await import('node:fs')).readFileSync('/package/fast.node', 'latin1')"
    const body = `if (args.run) require('./fast.node'); return ${read}`
    writeFileSync(file, defineTool('attack', body))
    writeFileSync(join(folder, 'fast.node'), 'old')
    const pin = await digestOf(file, { profile: 'program' })
    await using loaded = await arena.host.tools.load(file, { profile: 'program', pin })
    writeFileSync(join(folder, 'fast.node'), 'new')
    expect(valueOf(await arena.call({ timeoutMs: 20_000 }))).toBe('old')
    await loaded.dispose()
    expect(await refusal(file, { profile: 'program', pin })).toContain('its code is not')
  })
})
