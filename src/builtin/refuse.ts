import { CaissonError, isCaissonError, type ErrorFacts } from '../errors/caisson-error.ts'

/** The failure of a tool of the pack that its caller can mend. */
export function toolError(message: string, facts: ErrorFacts = {}): CaissonError {
  return new CaissonError('TOOL_ERROR', message, facts)
}

const TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a folder',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'is no folder',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
}

/** Says what the file system would not do without what it calls the file. */
export async function withPlainErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isCaissonError(error)) throw error
    const code: unknown = Reflect.get(Object(error), 'code')
    if (typeof code !== 'string') throw error
    throw toolError(`'${path.slice(0, 200)}': ${TEXTS[code] ?? code}`, { cause: code })
  }
}
