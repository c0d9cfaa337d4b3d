import { afterAll, beforeAll, describe } from 'vitest'
import type { CallState } from '../../src/types/profile.ts'
import { createRig, type EngineName, type Rig } from './contract/rig.ts'
import { describeShapes } from './contract/shapes.ts'
import { describeState } from './contract/state.ts'
import { describeTalk } from './contract/talk.ts'
import { describeTime } from './contract/time.ts'
import { describeValues } from './contract/values.ts'

/** What every engine that runs loaded tools promises, through the whole pipeline. */
export function describeEngine(engine: EngineName, state: CallState = 'fresh'): void {
  describe(`${engine} engine, ${state} calls`, () => {
    let rig: Rig | undefined
    const current = (): Rig => {
      if (rig === undefined) throw new Error('the rig is made before the first test')
      return rig
    }
    beforeAll(async () => {
      rig = await createRig(engine, state)
    })
    afterAll(() => current().host.close())
    describeValues(current)
    describeTime(current)
    describeTalk(current)
    describeShapes(current)
    describeState(current)
  })
}
