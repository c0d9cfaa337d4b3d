import type IsolatedVm from 'isolated-vm'
import { createFreshStage } from './fresh-stage.ts'
import { createFrozenStage } from './frozen-stage.ts'
import type { OpenMessage, Stage, StageIo } from './stage-parts.ts'

export type { Stage } from './stage-parts.ts'

/** Creates the isolate of one bundle in the state that its profile asks for. */
export function createStage(ivm: typeof IsolatedVm, open: OpenMessage, io: StageIo): Stage {
  return open.state === 'frozen'
    ? createFrozenStage(ivm, open, io)
    : createFreshStage(ivm, open, io)
}
