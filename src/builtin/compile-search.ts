import { RE2JS, RE2JSSyntaxException } from 're2js'
import { toolError } from './refuse.ts'

/** Whether a line matches. */
export type LineTest = (line: string) => boolean

const MAX_PATTERN = 1_000

/**
 * Compiles what is searched for; expressions run in linear time. Throws `TOOL_ERROR` for one that
 * cannot be compiled.
 */
export function compileSearch(
  pattern: string,
  { literal, ignoreCase }: { readonly literal: boolean; readonly ignoreCase: boolean },
): LineTest {
  if (pattern === '') throw toolError('pattern is empty: say what to look for')
  if (pattern.length > MAX_PATTERN)
    throw toolError(`pattern has more than ${MAX_PATTERN} characters`)
  const isPlain = literal || /^[\w\s/:;,'"<>=!@#%&~`-]+$/.test(pattern)
  if (isPlain && !ignoreCase) return (line) => line.includes(pattern)
  const source = literal ? RE2JS.quote(pattern) : pattern
  const compiled = compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  return (line) => compiled.matcher(line).find()
}

function compile(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags)
  } catch (error) {
    const why = error instanceof RE2JSSyntaxException ? error.message : 'it cannot be compiled'
    throw toolError(`pattern is no expression of RE2: ${why}`)
  }
}
