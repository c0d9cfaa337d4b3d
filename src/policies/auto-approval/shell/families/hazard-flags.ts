import type { Flag, ParsedArgs } from '../options.ts'

/** Flags that turn a reader or a build into a runner or a writer. */
export interface HazardSpec {
  readonly flags: readonly string[]
  /** Long flags that are harmless, and so make shorter spellings of a hazard ambiguous. */
  readonly harmless?: readonly string[]
}

/** Whether a command line uses one of the hazard flags, in full or by an unambiguous prefix. */
export function hazardIn(args: ParsedArgs, spec: HazardSpec): boolean {
  return args.flags.some((flag) => isHazard(flag, spec))
}

/** Whether one flag is a hazard. */
export function isHazard({ name }: Pick<Flag, 'name'>, spec: HazardSpec): boolean {
  if (spec.flags.includes(name)) return true
  if (!name.startsWith('--') || name.length < 3) return false
  if (spec.harmless?.some((harmless) => harmless.startsWith(name)) === true) return false
  return spec.flags.some((hazard) => hazard.startsWith(name))
}
