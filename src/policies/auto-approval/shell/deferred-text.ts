import type { Command, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash'
import { forEachChild } from 'unbash'

/** Builtins that evaluate subscripts, so a quoted substitution in their operands runs after all. */
const EVALUATORS: ReadonlySet<string> = new Set(
  'let test [ read unset declare typeset local export readonly mapfile readarray getopts wait'.split(
    ' ',
  ),
)

/**
 * Whether a line keeps substitutions as text where the shell evaluates it later: values that arithmetic,
 * subscripts or prompt expansion read again.
 */
export function hasDeferredText(script: ParsedScript): boolean {
  return visit(script)
}

function visit(node: SyntaxNode): boolean {
  if (defers(node)) return true
  let found = false
  forEachChild(node, (child) => {
    found ||= visit(child)
  })
  return found
}

function defers(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Assignment': {
      const words = node.value.type === 'Word' ? [node.value] : node.value.elements
      return words.some(keepsSubstitution)
    }
    case 'Command':
      return (
        isEvaluator(node) &&
        node.args.some((word) => word.type === 'Word' && keepsSubstitution(word))
      )
    case 'TestUnary':
      return keepsSubstitution(node.operand)
    case 'TestBinary':
      return [node.left, node.right].some(keepsSubstitution)
    case 'Transform':
      return node.operand.value === 'P'
    default:
      return false
  }
}

function isEvaluator({ name, args }: Command): boolean {
  const [first] = args
  const assigns = name?.value === 'printf' && first?.type === 'Word' && first.value === '-v'
  return assigns || EVALUATORS.has(name?.value ?? '')
}

function keepsSubstitution(word: Word): boolean {
  if (word.parts === undefined) return isSubstitution(word.value)
  return word.parts.some(keepsIn)
}

function keepsIn(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return isSubstitution(part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.some(keepsIn)
    default:
      return false
  }
}

function isSubstitution(text: string): boolean {
  return text.includes('$(') || text.includes('`') || text.includes('${ ')
}
