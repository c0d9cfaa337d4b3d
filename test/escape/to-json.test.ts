import { beforeAll, expect, test } from 'vitest'
import { defineTools, openArena, valueOf } from './attack.ts'
import { tryEach } from './attacked-state.ts'

const arena = openArena()

beforeAll(() =>
  arena.load({
    source: defineTools({
      method: 'return { a: { toJSON() { return "other" } } }',
      text: 'return { a: { toJSON: "text" } }',
      inherited: `
        ${tryEach(
          "Object.prototype.toJSON = function () { return 'other' }",
          'Array.prototype.toJSON = Object.prototype.toJSON',
        )}
        return { a: [1] }
      `,
    }),
  }),
)

test('ATK-003 a toJSON function makes the value unusable and is not called', async () => {
  const { result } = await arena.call({ tool: 'method' })
  expect(result).toMatchObject({ isError: true, error: { code: 'INVALID_TOOL_OUTPUT' } })
  expect(result.isError && result.error.message).toContain('value.a')
})

test('ATK-003 a toJSON that is no function is data', async () => {
  expect(valueOf(await arena.call({ tool: 'text' }))).toEqual({ a: { toJSON: 'text' } })
})

test('ATK-003 a toJSON on the prototypes changes nothing', async () => {
  expect(valueOf(await arena.call({ tool: 'inherited' }))).toEqual({ a: [1] })
})
