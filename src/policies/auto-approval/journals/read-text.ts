import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

const MAX_BYTES = 64 * 1_024 ** 2

/** The text of a regular file that is no link, at most 64 MiB; undefined when there is none. */
export function readText(path: string): string | undefined {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(fd)
    return fstatSync(fd).isFile() && size <= MAX_BYTES ? readFileSync(fd, 'utf8') : undefined
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}
