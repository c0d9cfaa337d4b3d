import type { Approval } from './source-pins.ts'
import type { Registration } from '../registry/registration.ts'
import type { ToolManifest } from '../types/engine.ts'

/** Key of what only Caisson's own commands ask of a load, and of what they get to see of it. */
export const INSPECTION: unique symbol = Symbol('caisson.inspection')

/** What a command may change about how a source is loaded. */
export interface InspectionRequest {
  /** Rewrites the bundle before anything of it runs. */
  readonly wrap?: (code: string) => string
  /** Replaces the profile's grace, in milliseconds. */
  readonly graceMs?: number
  /** What is loaded counts as approved from now on. */
  readonly approve?: true
}

/** A loaded source from the inside, in the order its tools were registered. */
export interface InspectedSource {
  readonly manifests: readonly ToolManifest[]
  readonly registrations: readonly Registration[]
  /** What was approved by this load. */
  readonly approval?: Approval
}
