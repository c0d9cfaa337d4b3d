import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { unconfinable } from '../helpers/confined.ts'
import { makePack } from './pack-rig.ts'

interface Example {
  readonly tool: string
  readonly arguments: unknown
  readonly needs?: 'sandbox'
  readonly value?: object
  readonly error?: string
}

const page = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```json example\n(.*?)```/gs)].map(
  ([, text = '']) => JSON.parse(text) as Example,
)

test('the examples of docs/tools.md do what they say', async () => {
  const { call, put, agent } = await makePack()
  put('notes.txt', 'one\ntwo\nthree\n')
  agent.tools.presentAs('both')
  expect(examples.length).toBeGreaterThan(9)
  for (const example of examples) {
    if (example.needs === 'sandbox' && unconfinable !== undefined) continue
    const result = await call(example.tool, example.arguments)
    if (example.error !== undefined) {
      expect(result.isError ? result.error.code : 'ok', example.tool).toBe(example.error)
    } else {
      expect(result.isError ? result.error : result.value).toMatchObject(example.value ?? {})
    }
  }
})

test('docs/tools.md names every tool of the pack', async () => {
  const backends = { askUser: async () => 'a', subagent: async () => 'b' }
  const { host } = await makePack({ backends })
  for (const { name } of host.tools.schemas()) expect(page).toContain(`\`${name}\``)
})
