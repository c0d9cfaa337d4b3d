import { CaissonError } from '../errors/caisson-error.ts'
import type { Guard } from '../types/decision.ts'
import type { Hub, Listener } from './hub.ts'
import type { Layer } from './layer.ts'
import { toFunctionName } from './names.ts'
import type { CodeView } from './presentation.ts'

/** One node of the tree host → agents: a layer of tools, listeners and guards. */
export interface Scope {
  readonly agentId?: string
  readonly parent?: Scope
  readonly layer: Layer
  readonly hub: Hub
  readonly guards: GuardList
  readonly code: CodeView
}

/** Guards of one scope in order of registration. */
export interface GuardList {
  add(guard: Guard): () => void
  list(): readonly GuardEntry[]
}

export interface GuardEntry {
  readonly guard: Guard
  readonly name: string
}

/** From the host's scope down to `scope`. */
export function scopePath(scope: Scope): readonly Scope[] {
  const path: Scope[] = []
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) path.unshift(at)
  return path
}

/** Listeners that hear events of `scope`: its own and those of every scope above. */
export function collectListeners(scope: Scope, event: string): readonly Listener[] {
  if (scope.parent === undefined) return scope.hub.list(event)
  const found = scopePath(scope).flatMap((node) => [...node.hub.list(event)])
  return found.length < 2 ? found : found.sort((a, b) => a.order - b.order)
}

/** Guards that bind calls of `scope`: the host's first, then from the farthest agent to the nearest. */
export function collectGuards(scope: Scope): readonly GuardEntry[] {
  if (scope.parent === undefined) return scope.guards.list()
  return scopePath(scope).flatMap((node) => [...node.guards.list()])
}

/** Creates an empty guard list. */
export function createGuardList(): GuardList {
  let entries: readonly GuardEntry[] = []
  let count = 0
  return {
    add(guard) {
      if (typeof guard !== 'function') {
        throw new CaissonError('CONFIG_INVALID', 'guard(): a guard is a function')
      }
      count += 1
      const entry: GuardEntry = { guard, name: toFunctionName(guard, `guard ${count}`) }
      entries = [...entries, entry]
      return () => {
        entries = entries.filter((kept) => kept !== entry)
      }
    },
    list: () => entries,
  }
}
