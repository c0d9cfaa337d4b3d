import type { ArrayValue, Assignment, Command, ParsedScript, SyntaxNode, Word } from 'unbash'
import { forEachChild } from 'unbash'

/** What a line gives a variable somewhere. */
export interface Given {
  /** Undefined when the value is not written down. */
  readonly value: Word | ArrayValue | undefined
  readonly append: boolean
}

/** Everything that a line assigns, wherever it stands: loops and functions make order meaningless. */
export type Variables = ReadonlyMap<string, readonly Given[]>

/** More values than this for one variable are not followed. */
export const MAX_GIVEN = 32

const READERS: ReadonlySet<string> = new Set(['read', 'mapfile', 'readarray', 'getopts', 'let'])

/** Collects the assignments of a line at any depth, except those of text nested in text. */
export function collectVariables(
  script: ParsedScript,
  outer: Variables = new Map(),
): Map<string, readonly Given[]> {
  const given = new Map<string, readonly Given[]>()
  for (const [name, values] of outer) given.set(name, [...values])
  const add = (name: string, value: Given): void => {
    const known = given.get(name) ?? []
    // One more than is read shows that there are too many.
    if (known.length <= MAX_GIVEN) given.set(name, [...known, value])
  }
  visit(script, add)
  return given
}

/** Names of all variables that some text expands. */
export function expandedNames(script: ParsedScript): readonly string[] {
  const names: string[] = []
  const look = (node: SyntaxNode): void => {
    if (node.type === 'SimpleExpansion') names.push(node.text.slice(1))
    if (node.type === 'ParameterExpansion') names.push(node.parameter)
    forEachChild(node, look)
  }
  look(script)
  return names
}

type Add = (name: string, value: Given) => void

function visit(node: SyntaxNode, add: Add): void {
  if (node.type === 'Assignment') addAssignment(node, add)
  if (node.type === 'Command') addFromCommand(node, add)
  if (node.type === 'Select' || node.type === 'For') addLoop(node.name.value, add)
  if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
    const { operator, operand } = node.operation
    if (operator === '=' || operator === ':=')
      add(node.parameter, { value: operand, append: false })
  }
  forEachChild(node, (child) => visit(child, add))
}

const KNOWN_NAMES: ReadonlySet<string> = new Set(['HOME', 'PWD', 'TMPDIR', 'CAISSON_HOME'])
const OPAQUE: Given = { value: undefined, append: false }

// A loop's own items are known inside it; a name with a value of its own is no longer known after.
function addLoop(name: string, add: Add): void {
  if (KNOWN_NAMES.has(name)) add(name, OPAQUE)
}

function addAssignment(node: Assignment, add: Add): void {
  add(node.name, { value: node.value, append: node.append === true })
}

function addFromCommand(node: Command, add: Add): void {
  const name = node.name?.value ?? ''
  const words = node.args.filter((word) => word.type === 'Word')
  if (READERS.has(name)) {
    const text = node.redirects.find((redirect) => redirect.type === 'HereString')?.target
    for (const word of words) add(word.value, { value: text, append: false })
  }
  const variable = words[1]
  if (name === 'printf' && words[0]?.value === '-v' && variable !== undefined)
    add(variable.value, { value: words.at(-1), append: false })
}
