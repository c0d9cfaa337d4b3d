import { isIP } from 'node:net'
import type { FetchPolicy } from './fetch-policy.ts'
import type { Resolve, ResolvedAddress } from './resolver.ts'

const LOOKUP_MS = 10_000

/**
 * The addresses of a host, every one of them allowed; they are what is dialled. Throws
 * `CAPABILITY_DENIED` for one that is not, Node's error when there are none.
 */
export async function vet(
  url: URL,
  policy: FetchPolicy,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(literal)
  const addresses =
    family === 0
      ? await orAborted(resolve(literal), signal)
      : [{ address: literal, family: family as 4 | 6 }]
  if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  for (const { address } of addresses) policy.checkAddress(url, address)
  return addresses
}

/** A look-up goes on when nobody waits for it any more; the system offers nothing to end it with. */
async function orAborted<T>(lookup: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: given, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(signal.reason as Error)
  const timer = setTimeout(() => {
    reject(Object.assign(new Error('the look-up takes too long'), { code: 'EAI_AGAIN' }))
  }, LOOKUP_MS)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([lookup, given])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
    lookup.catch(() => undefined) // Nobody waits for it any more.
  }
}
