import { parse, printParseErrorCode, visit, type ParseError } from 'jsonc-parser'
import { CaissonError } from '../errors/caisson-error.ts'
import { readRegularFile } from '../sandbox/read-regular-file.ts'

const MAX_BYTES = 4 * 1024 * 1024

/**
 * Reads a JSON file that may have comments and trailing commas. Throws `CONFIG_INVALID` with the
 * line and column of the first thing that is wrong.
 */
export function readJsonc(path: string, label: string): unknown {
  const text = readText(path, label)
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) {
    checkKeys(text, path, label)
    return value
  }
  const before = text.slice(0, first.offset).split('\n')
  const at = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  throw invalid(path, label, `no valid JSON: ${describe(first.error)} at ${at}`)
}

function readText(path: string, label: string): string {
  const bytes = readBytes(path, label)
  if (bytes.length > MAX_BYTES) throw invalid(path, label, 'it is larger than 4 MB')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(path, label, 'it is no UTF-8 text')
  }
}

function readBytes(path: string, label: string): Uint8Array {
  try {
    return readRegularFile(path, MAX_BYTES + 1)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw invalid(path, label, message)
    throw invalid(
      path,
      label,
      code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`,
    )
  }
}

// The parser assigns keys, so this one would become a prototype and be heard of no more.
function checkKeys(text: string, path: string, label: string): void {
  let line: number | undefined
  visit(text, {
    onObjectProperty(name, _offset, _length, startLine) {
      if (name === '__proto__') line ??= startLine + 1
    },
  })
  if (line !== undefined) throw invalid(path, label, `__proto__: unknown key, at line ${line}`)
}

function describe(code: number): string {
  const words = printParseErrorCode(code).replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return words.toLowerCase()
}

function invalid(path: string, label: string, problem: string): CaissonError {
  return new CaissonError('CONFIG_INVALID', `${label} ${path}: ${problem}`, { config: path })
}
