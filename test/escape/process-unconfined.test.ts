import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createToolHost, type ToolHost } from '../../src/index.ts'
import { loadProfiles } from '../../src/sandbox/load-profiles.ts'
import { makeCall, toFailed, toSuccess } from '../helpers/make-call.ts'
import { defineTool } from './attack.ts'
import { findSleepers, uniqueSeconds } from './program-arena.ts'
import { removeFolder } from '../helpers/folders.ts'

const work = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-open-')))
afterAll(() => removeFolder(work))
const OPEN = {
  name: 'open',
  engine: 'process',
  confinement: 'none',
  limits: { timeoutMs: 20_000, graceMs: 100 },
}

function put(name: string, command: readonly string[]): string {
  const manifest = { name, description: '', parameters: { type: 'object' }, command }
  writeFileSync(join(work, `${name}.tool.json`), JSON.stringify(manifest))
  return `${name}.tool.json`
}

describe.skipIf(process.platform === 'win32')('programs that the operator lets out', () => {
  let host: ToolHost
  beforeAll(() => {
    host = createToolHost({ workspace: work, profiles: [OPEN] })
  })
  afterAll(() => host.close())
  const call = (name: string) => host.tools.execute(makeCall(name))

  test('every result says that nothing confined it, failures too', async () => {
    await host.tools.load(put('where', ['pwd']), { profile: 'open' })
    await host.tools.load(put('fails', ['sh', '-c', 'exit 3']), { profile: 'open' })
    const fine = toSuccess(await call('where'))
    expect(fine).toMatchObject({ value: `${work}\n`, confinement: 'none' })
    const failed = toFailed(await call('fails'))
    expect(failed).toMatchObject({
      error: { code: 'TOOL_ERROR', exitCode: 3 },
      confinement: 'none',
    })
  })

  test('a body runs beside its own files, and says the same', async () => {
    writeFileSync(join(work, 'body.mjs'), defineTool('body', 'return import.meta.dirname'))
    await host.tools.load('body.mjs', { profile: 'open' })
    expect(toSuccess(await call('body'))).toMatchObject({ value: work, confinement: 'none' })
  })

  test('the environment of the host is not handed on', async () => {
    process.env['CAISSON_CANARY'] = 'canary'
    onTestFinished(() => void delete process.env['CAISSON_CANARY'])
    await host.tools.load(put('env', ['env']), { profile: 'open' })
    expect(toSuccess(await call('env')).value).not.toContain('canary')
  })

  test('the deadline ends its whole group', async () => {
    const seconds = uniqueSeconds()
    const script = `trap "" TERM; sleep ${seconds} & sleep ${seconds}`
    await host.tools.load(put('hangs', ['sh', '-c', script]), { profile: 'open', timeoutMs: 500 })
    expect(toFailed(await call('hangs')).error.code).toBe('TOOL_TIMEOUT')
    expect(findSleepers(seconds)).toEqual([])
  })
})

describe('a profile without confinement', () => {
  const load = (change: object) => () => loadProfiles([], [{ ...OPEN, ...change }])
  test.each([
    [{ confinement: 'preferred' }, /confinement: .*required or none/],
    [{ fs: { read: ['workspace:/**'] } }, /fs: .*bind nobody/],
    [{ kernelLimits: 'required' }, /kernelLimits: .*no limit holds/],
    [{ engine: 'thread', confinement: 'required' }, /confinement: /],
    [{ engine: 'thread', confinement: 'preferred', kernelLimits: 'required' }, /kernelLimits: /],
    [
      { engine: 'thread', confinement: 'preferred', process: {} },
      /process: only the process engine/,
    ],
  ])('%j is refused', (change, text) => {
    expect(load(change)).toThrow(text)
  })

  test('is nothing that anybody but its operator can ask for', () => {
    for (const { name, confinement } of loadProfiles().list) {
      expect(confinement, name).not.toBe('none')
    }
  })
})
