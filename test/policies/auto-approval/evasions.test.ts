import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERDICTS } from '../../../src/policies/auto-approval/reasons.ts'
import { EVASIONS } from './evasion-rows.ts'
import type { World } from './workspace.ts'
import { codesOf, createWorld } from './workspace.ts'

let world: World
beforeAll(() => {
  world = createWorld()
})
afterAll(() => world.remove())

for (const [least, lines] of Object.entries(EVASIONS))
  for (const line of lines)
    test(`an evasion gets at least ${least}: ${JSON.stringify(line)}`, () => {
      const assessed = world.bash(line)
      const { verdict } = assessed.assessment
      const acceptable = VERDICTS.slice(0, VERDICTS.findIndex((one) => one === least) + 1)
      expect(acceptable, codesOf(assessed).join(' ')).toContain(verdict)
    })
