import type { PathRole } from '../paths/judge.ts'
import { isMutating } from '../paths/judge.ts'
import { judgePath } from '../paths/judge-path.ts'
import { factsOf } from '../reasons.ts'
import type { Category } from '../types.ts'
import type { Context, LineEvent, SegmentKind } from './line.ts'
import { MAX_OPERANDS } from './line.ts'
import type { RedirectFacts } from './redirects.ts'
import type { ShellWord } from './shell-word.ts'

/** One effective command while it is judged. */
export interface Segment {
  /** Base name, folded, without `.exe`. */
  readonly name: string
  readonly args: readonly ShellWord[]
  readonly context: Context
  readonly redirects: RedirectFacts
  /** Serial number of the command in its line. */
  readonly command: number
  /** Codes of this command so far. */
  readonly codes: ReadonlySet<string>
  add(code: string, category?: Category): void
  /** Judges a word as a path in every folder it can mean; returns the codes that it brought. */
  path(word: ShellWord, role: PathRole): readonly string[]
  paths(words: readonly ShellWord[], role: PathRole): void
  /** As `path`, for a file whose content is used here and goes nowhere else. */
  glance(word: ShellWord, role: PathRole): void
  /** Adds a code that allows, unless something else was found. */
  settle(code: string): void
  /** `later` says that order does not matter. */
  event(kind: LineEvent['kind'], later?: boolean): void
  mark(kind: SegmentKind): void
  /** Reads a text like a line of its own. */
  nest(text: ShellWord, positional?: readonly ShellWord[]): void
  /** Judges words as another command that this one runs. */
  run(words: readonly ShellWord[]): void
}

/** A way to judge a command. */
export type Family = (segment: Segment) => void
/** Families by command name. */
export type Families = Readonly<Record<string, Family>>

export type Nest = (
  context: Context,
  text: ShellWord,
  positional: readonly ShellWord[] | undefined,
) => void

export interface SegmentSource {
  readonly name: string
  readonly args: readonly ShellWord[]
  readonly context: Context
  readonly command: number
  readonly redirects: RedirectFacts
  readonly nest: Nest
  readonly run: (words: readonly ShellWord[]) => void
}

/** For what neither holds text nor runs commands: redirections, tests. */
export const INERT = {
  redirects: { readsFile: false, socket: false },
  nest: (): void => undefined,
  run: (): void => undefined,
}

export function createSegment(source: SegmentSource): Segment {
  const { context, command } = source
  const { line } = context
  const codes = new Set<string>()
  const add = (code: string, category?: Category): void => {
    codes.add(code)
    line.findings.add({ code, layer: 'shell', category })
  }
  const event = (kind: LineEvent['kind'], later = false): void => {
    const { pipes, inside, loops } = context
    const deferred = context.deferred || later
    line.events.push({ kind, command, pipes, inside, loops, deferred, order: line.counter })
  }
  const glance = (word: ShellWord, role: PathRole): readonly string[] => {
    const found = lookAt(word, role, context)
    for (const code of found) codes.add(code)
    if (role === 'write' && found.length === 0 && !word.isPipe) add('ROUTINE_WRITE')
    return found
  }
  const path = (word: ShellWord, role: PathRole): readonly string[] => {
    const found = glance(word, role)
    const kind = eventOf(word, role, { found, context })
    if (kind !== undefined) event(kind)
    return found
  }
  return {
    ...{ name: source.name, args: source.args, redirects: source.redirects, run: source.run },
    ...{ context, command, codes, add, path, event },
    glance: (word, role) => void glance(word, role),
    paths: (words, role) => {
      for (const word of words) path(word, role)
    },
    settle: (code) => {
      if ([...codes].every((known) => factsOf(known).verdict === 'allow')) add(code)
    },
    mark: (kind) => void line.kinds.push(kind),
    nest: (text, positional) => source.nest(context, text, positional),
  }
}

// What an unknown command does with a file matters where its output goes.
function eventOf(
  word: ShellWord,
  role: PathRole,
  { found, context }: { readonly found: readonly string[]; readonly context: Context },
): LineEvent['kind'] | undefined {
  if (isSecretRead(found)) return role === 'read' ? 'secret' : 'dump'
  return role === 'move' && isSecretMove(word, context) ? 'secret' : undefined
}

function lookAt(word: ShellWord, role: PathRole, context: Context): readonly string[] {
  const { line } = context
  if (word.isPipe) return []
  line.operands += 1
  if (line.operands > MAX_OPERANDS) {
    const code = isMutating(role) ? 'TARGET_UNREADABLE' : 'UNPARSABLE'
    line.findings.add({ code, layer: 'targets' })
    return [code]
  }
  const { paths, unknown } = context.place.folders
  const folders: readonly (string | undefined)[] = unknown ? [...paths, undefined] : paths
  return folders.flatMap((folder) => lookFrom(word, role, { context, folder }))
}

function lookFrom(
  word: ShellWord,
  role: PathRole,
  at: { readonly context: Context; readonly folder: string | undefined },
): readonly string[] {
  const { ground, findings } = at.context.line
  const { codes, linkCodes, target, creates } = judgePath(word.atoms, role, ground, at.folder)
  if (target !== undefined) findings.look(target)
  for (const code of codes) findings.add({ code, layer: 'shell', target })
  for (const code of linkCodes) findings.add({ code, layer: 'links', target })
  if (creates !== undefined) findings.create(creates)
  return [...codes, ...linkCodes]
}

// Meta access and writing never bring these two for a secret name alone.
function isSecretRead(codes: readonly string[]): boolean {
  return codes.includes('SECRET_READ') || codes.includes('CREDENTIAL_STORE')
}

// What is moved away can be sent under another name.
function isSecretMove(word: ShellWord, { line, place }: Context): boolean {
  const [folder] = place.folders.paths
  const { codes, linkCodes } = judgePath(word.atoms, 'read', line.ground, folder)
  return isSecretRead([...codes, ...linkCodes])
}
