import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/**
 * The first `max` bytes of a regular file. Throws the system's error, or one without a code for a pipe,
 * which would keep the host waiting, a device, which would never end, and a folder.
 */
export function readRegularFile(path: string, max: number): Uint8Array {
  const fd = openSync(path, constants.O_RDONLY | NON_BLOCKING)
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is no regular file')
    return readAtMost(fd, max)
  } finally {
    closeSync(fd)
  }
}

/** Opens a pipe without waiting for who writes to it; 0 on Windows, which has nothing to wait for. */
export const NON_BLOCKING: number = (constants as { readonly O_NONBLOCK?: number }).O_NONBLOCK ?? 0

function readAtMost(fd: number, max: number): Uint8Array {
  let bytes = Buffer.alloc(Math.min(fstatSync(fd).size + 1, max))
  let length = 0
  for (;;) {
    const read = readSync(fd, bytes, length, bytes.length - length, null)
    length += read
    if (read === 0 || length === max) return bytes.subarray(0, length)
    if (length === bytes.length) {
      bytes = Buffer.concat([bytes], Math.min(bytes.length * 2, max))
    }
  }
}
