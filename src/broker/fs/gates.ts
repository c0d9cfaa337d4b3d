import type { CapabilityContext } from '../../types/capability.ts'
import type { FileObservation, FileTarget } from '../../types/events.ts'
import type { EditIntent, WriteIntent } from '../../types/file-gates.ts'
import { notFound, notObserved } from './fs-refusals.ts'

type Maybe<T> = T | undefined | Promise<T | undefined>

/** Who decides about changes to files, and is told what was seen of them. */
export interface FileGates {
  writeIntent(target: FileTarget, actor: CapabilityContext): Maybe<WriteIntent>
  /** The version a change builds on. May throw `FS_NOT_OBSERVED` or `FS_NOT_FOUND`. */
  editIntent(target: FileTarget, actor: CapabilityContext): Maybe<EditIntent>
  observed(target: FileTarget, observation: FileObservation, actor: CapabilityContext): void
}

/** Gates that remember; what a log has of earlier can be given back to them. */
export interface RememberingGates extends FileGates {
  restore(agent: object, seen: ReadonlyMap<string, FileObservation>): void
}

/**
 * Read before edit: a file is only overwritten, changed or removed by an agent that has seen it as it
 * is. Agents do not share what they saw; a call without an agent has seen nothing.
 */
export function createReadBeforeEdit(): RememberingGates {
  const seen = new WeakMap<object, Map<string, FileObservation>>()
  const last = (target: FileTarget, { agent }: CapabilityContext): FileObservation | undefined =>
    agent === undefined ? undefined : seen.get(agent)?.get(target.targetKey)
  return {
    writeIntent(target, actor) {
      const observation = last(target, actor)
      if (observation?.kind !== 'present') return { kind: 'createIfAbsent' }
      return { kind: 'replaceIfVersion', version: observation.version }
    },
    editIntent(target, actor) {
      const observation = last(target, actor)
      if (observation === undefined) throw notObserved(target.displayPath)
      if (observation.kind === 'absent') throw notFound(target.displayPath)
      return { version: observation.version }
    },
    observed(target, observation, { agent }) {
      if (agent === undefined) return
      const known = seen.get(agent)
      if (known === undefined) seen.set(agent, new Map([[target.targetKey, observation]]))
      else known.set(target.targetKey, observation)
    },
    restore(agent, observations) {
      seen.set(agent, new Map(observations))
    },
  }
}
