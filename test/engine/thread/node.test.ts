import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToolHost } from '../../../src/host/create-tool-host.ts'
import { makeCall, toFailed, toSuccess } from '../../helpers/make-call.ts'
import { makeFolder } from '../../helpers/folders.ts'
import { createRig, type Rig } from '../contract/rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await createRig('thread')
  await rig.load('node-tools.ts')
})
afterAll(() => rig.host.close())

test('a tool has all of Node, and its files where they are', async () => {
  const { value } = toSuccess(await rig.call('uses-node'))
  expect(value).toEqual({
    here: 'node-tools.ts',
    exists: true,
    text: true,
    required: 'function',
    sibling: 'control',
    env: {},
  })
})

test('process.env holds what the profile names, and nothing of the host', async () => {
  await using host = createToolHost({
    workspace: fileURLToPath(new URL('../../fixtures/engine/', import.meta.url)),
    profiles: [{ name: 'named', engine: 'thread', env: { LANGUAGE: 'de' } }],
    defaults: { profile: 'named' },
  })
  process.env['CAISSON_TEST_SECRET'] = 'canary'
  await host.tools.load('node-tools.ts')
  const { value } = toSuccess(await host.tools.execute(makeCall('uses-node')))
  delete process.env['CAISSON_TEST_SECRET']
  expect(value).toMatchObject({ env: { LANGUAGE: 'de' } })
  expect(JSON.stringify(value)).not.toContain('canary')
})

test('a plugin has its configuration library where none is installed beside it', async () => {
  const folder = makeFolder('caisson-plugin-')
  const fixtures = fileURLToPath(new URL('../../fixtures/tools/', import.meta.url))
  await copyFile(join(fixtures, 'plugin-config.ts'), join(folder, 'plugin-config.ts'))
  await using host = createToolHost({ workspace: folder })
  await host.tools.load('plugin-config.ts', { profile: 'trusted', config: { limit: 7 } })
  const { value } = toSuccess(await host.tools.execute(makeCall('limits')))
  expect(value).toEqual({ limit: 7, unit: 'ms' })
})

test('what a tool writes to its streams goes into its log', async () => {
  toSuccess(await rig.call('writes-streams', {}, { callId: 'writer' }))
  const logs = rig.logs('writer')
  expect(logs.slice(0, 2)).toEqual(['info: to stdout\n', 'error: to stderr\n'])
  expect(logs[2]).toMatch(/^info: ┌[^]*\(index\)/)
})

test.each(['sharedBuffer', 'port', 'transferred'])('ATK-016 a %s is no value', async (what) => {
  const { error } = toFailed(await rig.call('returns-foreign', { what }))
  expect(error).toMatchObject({ code: 'INVALID_TOOL_OUTPUT', stage: 'value' })
})

test('BUG-11 native code is not loaded into a thread, and the refusal names another engine', async () => {
  const { error } = toFailed(await rig.call('loads-addon'))
  expect(error).toMatchObject({ code: 'TOOL_ERROR' })
  expect(error.message).toContain('process engine')
})

test('BUG-11 a source that loads native code at its top level is LOAD_FAILED', async () => {
  await expect(rig.load('top-level-addon.ts')).rejects.toMatchObject({
    code: 'LOAD_FAILED',
    message: expect.stringContaining('process engine'),
  })
})

test('a source may await real work while it loads, and fails with its own words', async () => {
  await rig.load('awaits-files.ts')
  expect(toSuccess(await rig.call('awaits-files')).value).toBeGreaterThan(0)
  await expect(rig.load('fails-while-loading.ts')).rejects.toMatchObject({
    code: 'LOAD_FAILED',
    message: expect.stringContaining('not today'),
  })
  await expect(rig.load('exits-while-loading.ts')).rejects.toMatchObject({
    code: 'LOAD_FAILED',
    message: expect.stringContaining('exit code 4'),
  })
  await rig.check()
})

test('a tool runs within the least memory a profile can give', async () => {
  const loaded = await rig.host.tools.load('remembers.ts', { memoryMb: 8 })
  expect(toSuccess(await rig.call('remembers')).value).toBe(1)
  await loaded.dispose()
})
