import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERDICT_ROWS } from './verdict-rows.ts'
import type { World } from './workspace.ts'
import { codesOf, createWorld } from './workspace.ts'

let world: World
beforeAll(() => {
  world = createWorld()
})
afterAll(() => world.remove())

for (const [id, tool, args, verdict, category, code] of VERDICT_ROWS) {
  const shown = typeof args === 'string' ? args : `${tool} ${JSON.stringify(args)}`
  test(`${id} ${shown.replaceAll('\n', '\\n')} is ${verdict} by ${code}`, () => {
    const assessed = world.call(tool, typeof args === 'string' ? { command: args } : args)
    const { assessment, guard } = assessed
    expect({ verdict: assessment.verdict, category: assessment.category }).toEqual({
      verdict,
      category,
    })
    expect(codesOf(assessed)).toContain(code)
    expect(guard !== undefined).toBe(verdict === 'deny')
  })
}
