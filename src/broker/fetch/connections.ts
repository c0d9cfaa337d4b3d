import type { LookupFunction } from 'node:net'
import type { Client } from 'undici'
import { tooMany } from '../refusals.ts'
import type { ResolvedAddress } from './resolver.ts'

/** Where a connection goes: an origin, and the addresses that were vetted for it. */
export interface DialTarget {
  readonly origin: string
  readonly addresses: readonly ResolvedAddress[]
}

/** One connection, lent for one request. */
export interface Lease {
  readonly client: Client
  /** `reusable: false` closes the connection. */
  release(reusable: boolean): void
}

/** The connections of one attempt: six at most, none left after `close()`. */
export interface Connections {
  /** One of the six for a connection that somebody else makes; waits like `lease`. */
  hold(signal: AbortSignal): Promise<Disposable>
  /** Waits for a free connection. Throws `OVERLOADED` when too many wait already, or the abort reason. */
  lease(target: DialTarget, signal: AbortSignal): Promise<Lease>
  close(): void
}

const MAX_CONNECTIONS = 6
const MAX_WAITING = 58
/** No origin is called that. */
const HELD = ''
export const CONNECT_MS = 10_000
const HEADERS_MS = 15_000
export const IDLE_MS = 15_000
const KEEP_ALIVE_MS = 4_000
/** Of one block of headers. */
const MAX_HEADER_BYTES = 32 * 1024

type ClientMaker = typeof Client

interface Place {
  readonly key: string
  /** Undefined for a connection that somebody else makes. */
  readonly client: Client | undefined
  busy: boolean
}

/** Creates the connections of one attempt; none is opened yet. */
export function createConnections(): Connections {
  const places = new Set<Place>()
  const waiting = new Set<() => void>()
  let closed = false
  // When there are six, one that is free but leads elsewhere gives way.
  const find = (key: string, make: () => Client | undefined): Place | undefined => {
    const idle = [...places].filter(({ busy }) => !busy)
    const same = idle.find((place) => place.key === key && place.client?.destroyed !== true)
    if (same !== undefined) return same
    if (places.size >= MAX_CONNECTIONS) {
      const [other] = idle
      if (other === undefined) return undefined
      drop(other)
    }
    const place = { key, client: make(), busy: false }
    places.add(place)
    return place
  }
  const drop = (place: Place): void => {
    places.delete(place)
    void place.client?.destroy().catch(() => undefined) // Gone already, which is what is wanted.
  }
  const resumeFirst = (): void => {
    const [first] = waiting
    if (first === undefined) return
    waiting.delete(first)
    first()
  }
  const turn = async (signal: AbortSignal): Promise<void> => {
    if (waiting.size >= MAX_WAITING)
      throw tooMany('fetch', `more than ${MAX_CONNECTIONS + MAX_WAITING} requests at once`)
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.add(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    waiting.delete(resolve)
  }
  const occupy = async (
    key: string,
    make: () => Client | undefined,
    signal: AbortSignal,
  ): Promise<Place> => {
    let place = find(key, make)
    while (place === undefined) {
      await turn(signal)
      if (signal.aborted) resumeFirst()
      signal.throwIfAborted()
      place = find(key, make)
    }
    place.busy = true
    return place
  }
  const leave = (place: Place, reusable: boolean): void => {
    if (!place.busy) return
    place.busy = false
    if (!reusable || closed) drop(place)
    resumeFirst()
  }
  return {
    async hold(signal) {
      const place = await occupy(HELD, () => undefined, signal)
      return { [Symbol.dispose]: () => leave(place, false) }
    },
    async lease(target, signal) {
      // It takes a tenth of a second to load, which is for those to wait who make requests.
      const { Client: make } = await import('undici')
      signal.throwIfAborted()
      const key = `${target.origin} ${target.addresses.map(({ address }) => address).join(' ')}`
      const client = createClient.bind(undefined, make, target)
      const place = await occupy(key, client, signal)
      let held = true
      return {
        client: place.client ?? client(),
        release(reusable) {
          if (held) leave(place, reusable)
          held = false
        },
      }
    },
    close() {
      closed = true
      for (const place of [...places]) drop(place)
    },
  }
}

function createClient(make: ClientMaker, { origin, addresses }: DialTarget): Client {
  return new make(origin, {
    connect: { lookup: pinTo(addresses), timeout: CONNECT_MS, maxCachedSessions: 0 },
    allowH2: false,
    autoSelectFamily: true,
    pipelining: 1,
    headersTimeout: HEADERS_MS,
    bodyTimeout: IDLE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
}

/** A look-up that knows nothing but the vetted addresses, whatever the name says by now. */
export function pinTo(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}
