import type { HereDoc, Redirect, Redirection } from 'unbash'
import { joinAtoms, UNKNOWN } from '../paths/atoms.ts'
import { isMetadataHost } from '../urls.ts'
import type { Context, Stdin } from './line.ts'
import type { Segment } from './segment.ts'
import type { ShellWord } from './shell-word.ts'
import { atomsWord, startOf, textOf } from './shell-word.ts'
import type { Scope } from './words.ts'
import { toShellWord } from './words.ts'

/** What the redirections of a command read and write. */
export interface RedirectFacts {
  readonly readsFile: boolean
  /** Opens a socket by way of the device folder. */
  readonly socket: boolean
}

export function redirectFacts(redirects: readonly Redirection[], scope: Scope): RedirectFacts {
  const files = redirects.filter((redirect) => redirect.type === 'Redirect')
  const socket = files.some((redirect) => {
    const word = redirectWord(redirect, scope)
    return word !== undefined && isSocket(word)
  })
  return { readsFile: files.some(({ operator }) => operator === '<' || operator === '<>'), socket }
}

/** Judges redirect targets; duplicated descriptors are none. */
export function judgeRedirects(redirects: readonly Redirection[], segment: Segment): void {
  for (const redirect of redirects) {
    if (redirect.type !== 'Redirect') continue
    const word = redirectWord(redirect, segment.context.scope)
    if (word === undefined) continue
    if (isSocket(word)) {
      judgeSocket(word, segment)
      continue
    }
    const { operator } = redirect
    if (operator === '<' || operator === '<>') judgeAll(word, 'read', segment)
    if (!operator.startsWith('<') || operator === '<>') judgeAll(word, 'write', segment)
  }
}

/** What standard input is after these redirections. */
export function stdinOf(redirects: readonly Redirection[], context: Context): Stdin {
  let stdin = context.stdin
  for (const redirect of redirects) {
    const descriptor = redirect.descriptor
    if (
      descriptor !== undefined &&
      !(descriptor.type === 'FileDescriptor' && descriptor.value === 0)
    )
      continue
    if (redirect.type === 'HereDoc') stdin = { kind: 'text', text: hereText(redirect) }
    else if (redirect.type === 'HereString' && redirect.target !== undefined)
      stdin = { kind: 'text', text: toShellWord(redirect.target, context.scope) }
    else if (redirect.type === 'Redirect' && redirect.operator.startsWith('<'))
      stdin = { kind: 'file' }
  }
  return stdin
}

// Expansions in it are not known.
function hereText(redirect: HereDoc): ShellWord {
  const { body, delimiter } = redirect
  if (delimiter?.quoted === true || body.parts === undefined) return atomsWord([body.text])
  const atoms = body.parts.map((part) => (part.type === 'Literal' ? part.value : UNKNOWN))
  return atomsWord(joinAtoms(atoms))
}

function redirectWord(redirect: Redirect, scope: Scope): ShellWord | undefined {
  if (redirect.target === undefined) return undefined
  const word = toShellWord(redirect.target, scope)
  if (!redirect.operator.endsWith('&')) return word
  // `>&1` and `>&-` duplicate or close; `>&file` writes.
  const text = textOf(word)
  const duplicates = text === undefined ? redirect.operator === '<&' : /^\d*-?$/.test(text)
  return duplicates ? undefined : word
}

function judgeAll(word: ShellWord, role: 'read' | 'write', segment: Segment): void {
  for (const atoms of [word.atoms, ...word.alternatives]) segment.path({ ...word, atoms }, role)
  if (role === 'write') segment.mark('other')
}

function isSocket(word: ShellWord): boolean {
  const start = startOf(word)
  return start.startsWith('/dev/tcp/') || start.startsWith('/dev/udp/')
}

function judgeSocket(word: ShellWord, segment: Segment): void {
  segment.add('RAW_SOCKET')
  // What the descriptor is used for later goes there too.
  segment.event('sender', true)
  const host = startOf(word).split('/')[3]
  if (host !== undefined && isMetadataHost(host)) segment.add('METADATA_ENDPOINT')
}
