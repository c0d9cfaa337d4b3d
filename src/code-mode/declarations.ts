import type { JsonObject } from '../types/json.ts'
import { toComment, toKey, toTypeScript } from './to-typescript.ts'

/** What the declarations say of one tool. */
export interface DeclaredTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly outputSchema: JsonObject
}

/**
 * The TypeScript declarations a program is written against: one function per tool, with the types of
 * its arguments and its value. Tools are in order of their code units, so that the same set always
 * gives the same text.
 */
export function toDeclarations(tools: readonly DeclaredTool[]): string {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return [
    'interface ToolOutputMap {',
    ...sorted.map(
      ({ name, outputSchema }) => `  ${toKey(name)}: ${toTypeScript(outputSchema, '  ')}`,
    ),
    '}',
    '',
    'declare const tools: {',
    ...sorted.flatMap(({ name, description, parameters }) => [
      toComment(description, '  '),
      `  ${toKey(name)}(args: ${toTypeScript(parameters, '  ')}): Promise<ToolOutputMap[${JSON.stringify(name)}]>`,
    ]),
    '}',
    '',
    '/** A call that was refused or failed; it can be caught. */',
    'declare class ToolCallError extends Error {',
    '  readonly toolName: string',
    '}',
  ].join('\n')
}
