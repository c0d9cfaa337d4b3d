import { factsOf, orderReasons, toReason } from '../reasons.ts'
import type { Category, Reason, Target } from '../types.ts'

/** Which guard a fatal reason belongs to; the first that hits is the one shown. */
export type Layer = 'credentials' | 'shell' | 'targets' | 'names' | 'links'

export interface Finding {
  readonly code: string
  readonly layer: Layer
  readonly target?: Target | undefined
  /** Only where one code stands for several labels. */
  readonly category?: Category | undefined
}

const LAYERS: readonly Layer[] = ['credentials', 'shell', 'targets', 'names', 'links']
const MAX_TARGETS = 1024

/** Collects what the reading of one call brings up. */
export interface Findings {
  add(finding: Finding): void
  /** A target without a reason of its own is kept too. */
  look(target: Target): void
  create(path: string): void
  has(code: string): boolean
  /** Takes a reason back; only for what was added under a condition that later held. */
  replace(code: string, by: string): void
  /** Whether a guard denies for one of them. */
  isFatal(): boolean
  /** Lead reason first. */
  reasons(): readonly Reason[]
  targets(): readonly Target[]
  creates(): readonly string[]
}

/** Creates an empty collection. */
export function createFindings(): Findings {
  return new Collected()
}

class Collected implements Findings {
  readonly #found: Finding[] = []
  // Most calls touch nothing that is looked at.
  #targets: Map<string, Target> | undefined
  #creates: Set<string> | undefined

  add(finding: Finding): void {
    this.#found.push(finding)
    if (finding.target !== undefined) this.look(finding.target)
  }

  look(target: Target): void {
    const key = `${target.role} ${target.path ?? ''} ${target.resolved ?? ''} ${target.url ?? ''}`
    this.#targets ??= new Map()
    if (this.#targets.size < MAX_TARGETS) this.#targets.set(key, target)
  }

  create(path: string): void {
    this.#creates ??= new Set()
    this.#creates.add(path)
  }

  has(code: string): boolean {
    return this.#found.some((finding) => finding.code === code)
  }

  replace(code: string, by: string): void {
    for (const [index, finding] of this.#found.entries())
      if (finding.code === code) this.#found[index] = { ...finding, code: by }
  }

  isFatal(): boolean {
    return this.#found.some(({ code }) => factsOf(code).severity === 'fatal')
  }

  reasons(): readonly Reason[] {
    return toReasons(this.#found)
  }

  targets(): readonly Target[] {
    return [...(this.#targets?.values() ?? [])]
  }

  creates(): readonly string[] {
    return [...(this.#creates ?? [])]
  }
}

function toReasons(found: readonly Finding[]): readonly Reason[] {
  const groups = new Map<string, Finding[]>()
  for (const layer of LAYERS) {
    for (const finding of found.filter((one) => one.layer === layer)) {
      const key = `${finding.code} ${finding.category ?? ''}`
      groups.set(key, [...(groups.get(key) ?? []), finding].slice(0, MAX_TARGETS))
    }
  }
  const reasons = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const targets = group.flatMap(({ target }) => (target === undefined ? [] : [target]))
    return [toReason(first.code, targets, first.category)]
  })
  return orderReasons(reasons)
}
