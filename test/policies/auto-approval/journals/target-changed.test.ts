import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createToolHost } from '../../../../src/host/create-tool-host.ts'
import type { CallResult } from '../../../../src/types/call.ts'
import { makeCall } from '../../../helpers/make-call.ts'
import { removeFolder } from '../../../helpers/folders.ts'

// A real host on real files; while the person is asked, the files change.
async function writeWhile(
  name: string,
  prepare: (workspace: string) => void,
  meanwhile: (workspace: string) => void,
): Promise<{
  readonly result: CallResult
  readonly workspace: string
  readonly source: () => string
}> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-target-ws-')))
  const stateDir = mkdtempSync(join(tmpdir(), 'caisson-target-state-'))
  const host = createToolHost({ workspace, stateDir, approval: { categories: { edit: 'ask' } } })
  onTestFinished(async () => {
    await host.close()
    for (const folder of [workspace, stateDir]) removeFolder(folder)
  })
  host.tools.register(
    {
      name: 'put',
      description: 'writes a file',
      parameters: { type: 'object' },
      output: { schema: {}, render: () => [] },
      execute: (args: { file_path: string }) =>
        writeFileSync(args.file_path, 'by the tool') ?? null,
    },
    { policy: { class: 'write' } },
  )
  prepare(workspace)
  host.approval.addAnswerer({
    id: 'person',
    kind: 'human',
    available: () => true,
    ask: async () => {
      meanwhile(workspace)
      return { decision: 'allow' }
    },
  })
  const call = makeCall('put', { file_path: join(workspace, name), content: 'x' })
  const result = await host.openSession().agent('main').tools.execute(call)
  return { result, workspace, source: () => host.approval.history().at(-1)?.source ?? '' }
}

const write = (name: string) => (workspace: string) =>
  writeFileSync(join(workspace, name), `as ${name} was`)
const link = (target: string) => (workspace: string) => {
  rmSync(join(workspace, 'link'), { force: true })
  symlinkSync(join(workspace, target), join(workspace, 'link'))
}

test('AUD-04 a link that is swapped while a person is asked ends the call', async () => {
  const { result, workspace, source } = await writeWhile(
    'link',
    (folder) => [write('one'), write('two'), link('one')].forEach((step) => step(folder)),
    link('two'),
  )
  expect(result).toMatchObject({ isError: true, error: { code: 'DENIED' } })
  expect(result.isError && result.error['reasons']).toContain('TARGET_CHANGED')
  await expect.poll(source).toBe('target-changed') // A denial does not wait for its record.
  for (const name of ['one', 'two']) {
    expect(readFileSync(join(workspace, name), 'utf8')).toBe(`as ${name} was`)
  }
})

test('AUD-04 so does a file that appears where one was to be made', async () => {
  const { result, workspace } = await writeWhile('new', () => {}, write('new'))
  expect(result.isError && result.error['reasons']).toContain('TARGET_CHANGED')
  expect(readFileSync(join(workspace, 'new'), 'utf8')).toBe('as new was')
})

test('a target that stayed as it was is written after the allow', async () => {
  const { result, workspace, source } = await writeWhile(
    'new',
    (folder) => expect(existsSync(join(folder, 'new'))).toBe(false),
    write('other'),
  )
  expect(result.isError).toBe(false)
  expect(source()).toBe('human-allow')
  expect(readFileSync(join(workspace, 'new'), 'utf8')).toBe('by the tool')
})
