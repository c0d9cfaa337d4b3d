import { stripTypeScriptTypes } from 'node:module'
import { parse, type FunctionDeclaration, type Program } from 'acorn'
import { BundleError } from './bundle-error.ts'

/** A program of Code Mode: TypeScript or JavaScript, with `await` and `return` at its top. */
export interface ProgramRequest {
  readonly text: string
}

const MAX_TEXT = 1024 * 1024
const HEAD = 'async function program() {'

/**
 * The body of an async function as plain JavaScript. The value of a last statement that is an
 * expression is what it returns. Throws a BundleError for what does not parse, and for TypeScript
 * that is more than types.
 */
export function toProgramBody({ text }: ProgramRequest): string {
  if (text.length > MAX_TEXT) throw new BundleError(['the program is longer than 1 MB'])
  const stripped = strip(`${HEAD}\n${text}\n}`)
  const [only, ...more] = parseProgram(stripped).body
  // A text that closes the function would run outside of it.
  if (only?.type !== 'FunctionDeclaration' || more.length > 0 || only.id.name !== 'program') {
    throw new BundleError(['the program does not parse: it closes more braces than it opens'])
  }
  return withCompletion(stripped, only)
}

function withCompletion(text: string, { body }: FunctionDeclaration): string {
  const inside = text.slice(body.start + 1, body.end - 1)
  const last = body.body.at(-1)
  if (last?.type !== 'ExpressionStatement') return inside
  const before = text.slice(body.start + 1, last.start)
  const after = text.slice(last.end, body.end - 1)
  const expression = text.slice(last.start, last.end).replace(/;\s*$/, '')
  return `${before}return (${expression}\n);${after}`
}

function strip(text: string): string {
  try {
    return stripTypeScriptTypes(text)
  } catch (error) {
    throw new BundleError([`the program does not parse: ${toLine(error)}`])
  }
}

function parseProgram(text: string): Program {
  try {
    return parse(text, { ecmaVersion: 'latest', sourceType: 'script' })
  } catch (error) {
    throw new BundleError([`the program does not parse: ${toLine(error)}`])
  }
}

// Positions count the line that was put in front.
function toLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const [first = ''] = message.split('\n').filter((line) => line.trim() !== '')
  return first.replace(/ ?\((\d+):(\d+)\)$/, (_all, line, column) => {
    return ` (line ${Number(line) - 1}, column ${column})`
  })
}
