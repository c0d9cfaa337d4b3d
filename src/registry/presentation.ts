import { CaissonError } from '../errors/caisson-error.ts'
import type { Disposer } from '../types/decision.ts'
import type { Registration } from './registration.ts'
import type { Scope } from './scope.ts'

/** How tools are shown to a model: one by one, as bindings of a program, or both. */
export type Presentation = 'native' | 'code' | 'both'

/** The tool that runs programs; nobody can register, shadow or restrict it. */
export const CODE_TOOL = 'run_code'

const PRESENTATIONS: readonly unknown[] = ['native', 'code', 'both'] satisfies Presentation[]

/** What a scope says of programs; the tool itself belongs to the host's scope. */
export interface CodeView {
  readonly modes: readonly Presentation[]
  tool: Registration | undefined
  /** The last mode that is still held counts. Throws `CONFIG_INVALID` for one that is none. */
  present(mode: Presentation): Disposer
}

/** Creates the view of one scope. */
export function createCodeView(): CodeView {
  const held: { readonly mode: Presentation }[] = []
  return {
    tool: undefined,
    get modes() {
      return held.map(({ mode }) => mode)
    },
    present(mode) {
      if (!PRESENTATIONS.includes(mode)) {
        const text = `presentAs(): '${String(mode)}' is none of native, code, both`
        throw new CaissonError('CONFIG_INVALID', text)
      }
      const entry = { mode }
      held.push(entry)
      return () => {
        const at = held.indexOf(entry)
        if (at >= 0) held.splice(at, 1)
      }
    },
  }
}

/** How the tools of a scope are shown: the nearest word counts, `native` where nobody has said one. */
export function presentationOf(scope: Scope): Presentation {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const mode = at.code.modes.at(-1)
    if (mode !== undefined) return mode
  }
  return 'native'
}

/** The tool that runs programs as `scope` sees it; undefined where tools are shown one by one. */
export function codeToolOf(scope: Scope): Registration | undefined {
  if (presentationOf(scope) === 'native') return undefined
  let top = scope
  while (top.parent !== undefined) top = top.parent
  return top.code.tool
}
