import type { SyntaxNode } from 'unbash'
import { forEachChild } from 'unbash'

/** Whether a function calls itself in a pipeline or in the background. */
export function isForkBomb(name: string, body: SyntaxNode): boolean {
  return calls(body, name, false)
}

function calls(node: SyntaxNode, name: string, multiplies: boolean): boolean {
  if (node.type === 'Command' && multiplies && node.name?.value === name) return true
  const inner =
    multiplies ||
    (node.type === 'Pipeline' && node.commands.length > 1) ||
    (node.type === 'Statement' && node.background === true)
  let found = false
  forEachChild(node, (child) => {
    found ||= calls(child, name, inner)
  })
  return found
}
