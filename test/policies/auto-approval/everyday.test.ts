import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVERYDAY } from './everyday-rows.ts'
import type { World } from './workspace.ts'
import { codesOf, createWorld } from './workspace.ts'

let world: World
beforeAll(() => {
  world = createWorld()
})
afterAll(() => world.remove())

for (const [verdict, lines] of Object.entries(EVERYDAY))
  for (const line of lines)
    test(`a usual line gets ${verdict}: ${line.replaceAll('\n', '\\n')}`, () => {
      const assessed = world.bash(line)
      expect(
        [assessed.assessment.verdict, ...codesOf(assessed)][0],
        codesOf(assessed).join(' '),
      ).toBe(verdict)
    })
