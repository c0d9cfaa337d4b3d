import { toolError } from './refuse.ts'

/** The text of a file. Throws `TOOL_ERROR` for one that is no UTF-8 text. */
export function toText(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw toolError(`'${path}' is no UTF-8 text`)
  }
}

/** Lines without their ends; the end of the last line makes no further one. */
export function toLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
