import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether two tokens are the same, in a time that tells nothing of how far, or how long, they agree. */
export function isSameToken(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
