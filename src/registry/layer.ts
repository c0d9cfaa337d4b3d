import { CaissonError } from '../errors/caisson-error.ts'
import type { Disposer } from '../types/decision.ts'
import type { Registration } from './registration.ts'
import { CODE_TOOL, codeToolOf } from './presentation.ts'
import { scopePath, type Scope } from './scope.ts'

/** What one scope adds to the tools below it, and what it hides of those above. */
export interface Layer {
  readonly entries: ReadonlyMap<string, Registration>
  add(registration: Registration): Disposer
  readonly restrictions: ReadonlySet<Restriction>
  restrict(restriction: Restriction): Disposer
}

/** A filter on inherited tools; arrays are copies. */
export interface Restriction {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

/** Creates an empty layer. `place` is how a duplicate's message names it. */
export function createLayer(place: 'the host' | 'this agent'): Layer {
  const entries = new Map<string, Registration>()
  const restrictions = new Set<Restriction>()
  return {
    entries,
    restrictions,
    add(registration) {
      const { name } = registration
      if (entries.has(name)) throw duplicate(name, place)
      entries.set(name, registration)
      return () => {
        if (entries.get(name) === registration) entries.delete(name)
      }
    },
    restrict(restriction) {
      restrictions.add(restriction)
      return () => void restrictions.delete(restriction)
    },
  }
}

/**
 * The tools a scope sees, in order: what it inherits and its own restrictions admit, then its own.
 * A shadowing entry keeps the position of the name it shadows.
 */
export function visibleTools(scope: Scope): ReadonlyMap<string, Registration> {
  if (scope.parent === undefined) return scope.layer.entries
  const view = filterTools(inheritedTools(scope), scope.layer.restrictions)
  for (const [name, registration] of scope.layer.entries) view.set(name, registration)
  return view
}

/** What a scope inherits: the entries of the scopes above that every restriction up there admits. */
export function inheritedTools(scope: Scope): ReadonlyMap<string, Registration> {
  const above = scopePath(scope).slice(0, -1)
  const entries = new Map(above.flatMap(({ layer }) => [...layer.entries]))
  return filterTools(
    entries,
    above.flatMap(({ layer }) => [...layer.restrictions]),
  )
}

/** One tool as `scope` sees it, or undefined when it is hidden or unknown. */
export function findTool(scope: Scope, name: string): Registration | undefined {
  if (name === CODE_TOOL) return codeToolOf(scope)
  const own = scope.layer.entries.get(name)
  if (own !== undefined) return own
  let found: Registration | undefined
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    for (const filter of at.layer.restrictions) if (!admits(filter, name)) return undefined
    found ??= at.layer.entries.get(name)
  }
  return found
}

function filterTools(
  tools: ReadonlyMap<string, Registration>,
  filters: Iterable<Restriction>,
): Map<string, Registration> {
  const all = [...filters]
  return new Map([...tools].filter(([name]) => all.every((filter) => admits(filter, name))))
}

function admits(filter: Restriction, name: string): boolean {
  if (filter.allow !== undefined && !filter.allow.includes(name)) return false
  return filter.deny === undefined || !filter.deny.includes(name)
}

function duplicate(name: string, place: 'the host' | 'this agent'): CaissonError {
  const hint =
    place === 'the host'
      ? '; to replace it for one agent register it through agent.tools, or dispose the first'
      : '; dispose the first registration to replace it'
  return new CaissonError('CONFIG_INVALID', `a tool named '${name}' exists in ${place}${hint}`, {
    tool: name,
  })
}
