import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createToolHost } from '../../src/index.ts'
import { makeFolder } from '../helpers/folders.ts'
import { defineTools, openArena, valueOf } from './attack.ts'

const arena = openArena()
const POLLUTED = '{"__proto__":{"polluted":true}}'

beforeAll(() =>
  arena.load({
    source: defineTools({
      shallow: `return JSON.parse('${POLLUTED}')`,
      deep: `return { a: { b: { c: { d: JSON.parse('${POLLUTED}') } } } }`,
      listed: `return [JSON.parse('${POLLUTED}'), { constructor: { prototype: { x: 1 } } }]`,
      echo: 'return args',
    }),
  }),
)

test.each(['shallow', 'deep', 'listed'])(
  'ATK-001 an own __proto__ in the value of %s stays data',
  async (tool) => {
    const attacked = await arena.call({ tool })
    const text = JSON.stringify(valueOf(attacked))
    expect(text).toContain(POLLUTED)
    expect(attacked.result.content[0]).toMatchObject({ type: 'text', text })
    expectClean()
  },
)

test('ATK-001 an own __proto__ in the arguments stays data, there and back', async () => {
  const args: unknown = JSON.parse(`{"deep":[${POLLUTED}],"__proto__":{"x":1}}`)
  const attacked = await arena.call({ tool: 'echo', args })
  expect(JSON.stringify(valueOf(attacked))).toBe(JSON.stringify(args))
  expectClean()
})

const A = '"name":"a","engine":"isolate"'
test.each([
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"constructor.prototype.x":1}',
  '{"defaults":{"__proto__":{"polluted":true}}}',
  '{"defaults":{"constructor":{"prototype":{"x":1}}}}',
  '{"secrets":{"__proto__":{"value":"12345678","hosts":["https://a.test"]}}}',
  '{"approval":{"__proto__":{"x":1}}}',
  `{"profiles":[{${A},"__proto__":{"polluted":true}}]}`,
  `{"profiles":[{${A},"env":{"__proto__":"x"}}]}`,
  `{"profiles":[{${A},"fetch":{"__proto__":{"allow":["https://a.test"]}}}]}`,
])('ATK-001 an override of %s is no configuration', async (text) => {
  const file = join(makeFolder('caisson-escape-'), 'c.json')
  await writeFile(file, text)
  for (const config of [JSON.parse(text) as object, file]) {
    expect(() => createToolHost({ config })).toThrowError(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
  expectClean()
})

function expectClean(): void {
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
  expect(Reflect.get({}, 'x')).toBeUndefined()
}
