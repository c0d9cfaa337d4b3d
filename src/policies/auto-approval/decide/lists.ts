import { UNCLASSIFIED } from '../assessment/descriptors.ts'

/** Names, and prefixes that end in one `*`. */
export interface NameList {
  has(name: string): boolean
}

/** Compiles a list. A lone `*` and an inner `*` are literal, so nothing means everything. */
export function compileNameList(entries: readonly string[]): NameList {
  const exact = new Set<string>()
  const prefixes: string[] = []
  for (const entry of entries) {
    if (entry.length > 1 && entry.endsWith('*')) prefixes.push(entry.slice(0, -1))
    else exact.add(entry)
  }
  return {
    has: (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
  }
}

export type ListVerdict = 'deny' | 'allow' | 'human' | undefined

/** The three lists of a configuration; deny beats allow beats human. */
export interface Lists {
  /** A tool that runs command lines is never allowed by its name. */
  verdict(name: string, toolClass: string): ListVerdict
}

const SHELL_CLASSES: ReadonlySet<string> = new Set(['shell', 'foreign shell'])

/**
 * Compiles the three lists. A tool that the operator has named for this very run, and of which nothing
 * else is known, counts as allowed.
 */
export function compileLists(
  lists: {
    readonly denyList: readonly string[]
    readonly allowlist: readonly string[]
    readonly humanOnlyList: readonly string[]
  },
  isCommanded: (tool: string) => boolean = () => false,
): Lists {
  const denied = compileNameList(lists.denyList)
  const allowed = compileNameList(lists.allowlist)
  const human = compileNameList(lists.humanOnlyList)
  return {
    verdict(name, toolClass) {
      if (denied.has(name)) return 'deny'
      if (allowed.has(name) && !SHELL_CLASSES.has(toolClass)) return 'allow'
      if (human.has(name)) return 'human'
      return toolClass === UNCLASSIFIED && isCommanded(name) ? 'allow' : undefined
    },
  }
}
