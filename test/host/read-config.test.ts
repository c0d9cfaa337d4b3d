import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToolHost } from '../../src/index.ts'
import { resolveHostSpec } from '../../src/host/spec.ts'
import { removeFolder } from '../helpers/folders.ts'

let folder = ''
const file = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-config-'))
})
afterAll(() => removeFolder(folder))

test('createToolHost() takes options from a file, and explicit ones win', async () => {
  const config = {
    workspace: 'tools',
    maxRunners: 3,
    queueTimeoutMs: 7,
    defaults: { timeoutMs: 11, memoryMb: 32 },
  }
  await writeFile(file('c.json'), JSON.stringify(config))
  const spec = resolveHostSpec({
    config: file('c.json'),
    maxRunners: 4,
    defaults: { memoryMb: 48 },
  })
  expect(spec).toMatchObject({
    workspace: join(folder, 'tools'),
    maxRunners: 4,
    queueTimeoutMs: 7,
    defaultTimeoutMs: 11,
    memoryMb: 48,
  })
  expect(resolveHostSpec({ config: { maxRunners: 5 } }).maxRunners).toBe(5)
})

test.each([
  ['missing.json', undefined, 'there is no such file'],
  ['text.json', '{', 'no valid JSON'],
  ['list.json', '[]', 'JSON object'],
  ['unknown.json', '{"maxRunner":1}', 'maxRunner'],
  ['wrong.json', '{"defaults":{"memoryMb":1}}', 'defaults.memoryMb'],
])('a config that is no good is one line that names it: %s', async (name, text, word) => {
  if (text !== undefined) await writeFile(file(name), text)
  const read = (): unknown => resolveHostSpec({ config: file(name) })
  expect(read).toThrow(word)
  expect(read).toThrow(name)
})

test('what is wrong with approval names the file that says it, and no file where the caller does', async () => {
  const wrong = { timeoutAktion: 'reject' }
  await writeFile(file('approval.json'), JSON.stringify({ approval: wrong }))
  const text = "approval.timeoutAktion: unknown key; did you mean 'timeoutAction'?"
  const config = file('approval.json')
  expect(() => createToolHost({ config })).toThrow(`${config}: ${text}`)
  await writeFile(file('empty.json'), '{}')
  const explicit = { config: file('empty.json'), approval: wrong as object }
  expect(() => createToolHost(explicit)).toThrow(expect.objectContaining({ message: text }))
})
