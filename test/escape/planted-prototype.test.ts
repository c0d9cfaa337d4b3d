import { expect, test } from 'vitest'
import { openArena } from './attack.ts'
import { tryEach } from './attacked-state.ts'

const arena = openArena()

test.each([
  ['a function', 'Object.prototype.code = () => 1'],
  ['an object', 'Object.prototype.code = { a: 1 }'],
  ['an object with toJSON', "Object.prototype.code = { toJSON: () => 'FORGED' }"],
  [
    'a getter that throws',
    "Object.defineProperty(Object.prototype, 'code', { get() { throw 1 } })",
  ],
])('a code planted on Object.prototype, %s, is no code of the failure', async (_what, plant) => {
  const { result } = await arena.attack({ body: `${tryEach(plant)}; throw new RangeError('mine')` })
  expect(result).toMatchObject({
    error: { code: 'TOOL_ERROR', message: 'mine', thrown: { name: 'RangeError', message: 'mine' } },
  })
  if (result.isError) expect(Object.keys(Object(result.error['thrown']))).not.toContain('code')
})

test('a setter planted on Object.prototype does not stop a refusal', async () => {
  const { result } = await arena.attack({
    body: `
      ${tryEach("Object.defineProperty(Object.prototype, 'code', { set() { throw 1 } })")}
      return fetch('http://127.0.0.1:9/').then(() => 'reached', (error) => error.name)`,
  })
  expect(result).toMatchObject({ isError: false })
  if (!result.isError) expect(result.value).not.toBe('reached')
})

test('ATK-023 a replaced Reflect.apply does not take away the true value', async () => {
  const source = `
    import { defineTool } from 'caisson'
    export default defineTool({
      name: 'attack', description: 'x', parameters: {},
      output: { schema: { type: 'json' }, render: (_args, value) => [{ type: 'text', text: value }] },
      execute() { ${tryEach('Reflect.apply = () => 5')}; return 'true value' },
    })`
  const { result } = await arena.attack({ source })
  expect(result).toMatchObject({
    value: 'true value',
    content: [{ type: 'text', text: 'true value' }],
  })
})
