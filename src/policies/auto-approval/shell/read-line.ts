import type { ParsedScript, SyntaxNode } from 'unbash'
import { forEachChild, parse } from 'unbash'

/** Turns text into a syntax tree; may throw, and may report errors in the tree. */
export type ShellParser = (text: string) => ParsedScript

export const SHELL_PARSER: ShellParser = parse

const MAX_BYTES = 64 * 1024
const MAX_MS = 250
const MAX_NODES = 40_000

/** The tree of a shell line, or undefined when no verdict may be guessed from it. */
export function readLine(text: string, parser: ShellParser): ParsedScript | undefined {
  if (text.trim() === '' || Buffer.byteLength(text) > MAX_BYTES) return undefined
  if (hasControl(text) || hasSplitOperator(text)) return undefined
  const began = cpuMs()
  try {
    const script = parser(text)
    if (!isSound(script, text) || cpuMs() - began > MAX_MS) return undefined
    return script
  } catch {
    // A parser that gives up has read nothing.
    return undefined
  }
}

// Work, not waiting: on a busy machine the same line must be read the same way.
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if ((code < 32 && code !== 9 && code !== 10) || code === 127) return true
    if (code >= 0x80 && code < 0xa0) return true
  }
  return false
}

// Bash joins the halves of an operator that a backslash and a line break stand in.
function hasSplitOperator(text: string): boolean {
  for (let at = text.indexOf('\\\n'); at >= 0; at = text.indexOf('\\\n', at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + 2] ?? ' '
    if (isOperator(before) && isOperator(after)) return true
  }
  return false
}

function isOperator(character: string): boolean {
  return '&|;<>()'.includes(character)
}

interface Soundness {
  nodes: number
  readonly quoted: (readonly [number, number])[]
}

function isSound(script: ParsedScript, text: string): boolean {
  const seen: Soundness = { nodes: 0, quoted: [] }
  if (!visit(script, seen, true)) return false
  return hiddenCharacters(text).every((at) =>
    seen.quoted.some(([from, to]) => from <= at && at < to),
  )
}

// `placed` is false below a script with a source of its own, whose positions are not those of the line.
function visit(node: SyntaxNode, seen: Soundness, placed: boolean): boolean {
  seen.nodes += 1
  if (seen.nodes > MAX_NODES || !isWhole(node)) return false
  if (placed) for (const { pos, end } of quotedLeaves(node)) seen.quoted.push([pos, end])
  const inner = placed && !(node.type === 'Script' && node.source !== undefined)
  let sound = true
  forEachChild(node, (child) => {
    sound &&= visit(child, seen, inner)
  })
  return sound
}

function isWhole(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Script':
      return (('errors' in node ? node.errors : undefined)?.length ?? 0) === 0
    case 'HereDoc':
      return node.closing !== undefined && node.delimiter !== undefined
    case 'Redirect':
    case 'HereString':
      return node.target !== undefined
    case 'ArithmeticWord':
      // Two words without an operator are no arithmetic: shells then read something else.
      return !/\S\s+\S/.test(node.value)
    case 'Word':
      return !hasSplitWord(node.text, node.parts)
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script !== undefined
    default:
      return true
  }
}

type Parts = readonly { readonly type: string; readonly text: string }[] | undefined

function hasSplitWord(text: string, parts: Parts): boolean {
  if (!text.includes('\\\n')) return false
  if (parts === undefined) return true
  return parts.some(
    (part) =>
      part.text.includes('\\\n') &&
      part.type !== 'SingleQuoted' &&
      !part.type.endsWith('Substitution') &&
      part.type !== 'CommandExpansion',
  )
}

// Leaves only: what a substitution inside double quotes holds is not quoted.
function quotedLeaves(node: SyntaxNode): readonly { readonly pos: number; readonly end: number }[] {
  switch (node.type) {
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [node]
    case 'DoubleQuoted':
    case 'LocaleString':
      return node.parts.filter((part) => part.type === 'Literal')
    case 'HereDocBody':
      return node.parts?.filter((part) => part.type === 'Literal') ?? [node]
    default:
      return []
  }
}

// Where spaces, joiners and direction marks stand that a reader does not see.
function hiddenCharacters(text: string): readonly number[] {
  const hidden = /(?! )[\p{Cf}\p{Z}]|\u034f|\u115f|\u1160|\u3164|\uffa0/gu
  return Array.from(text.matchAll(hidden), ({ index }) => index)
}
