import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { Transform, type Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isCaissonError } from '../../errors/caisson-error.ts'
import type { CapabilityContext } from '../../types/capability.ts'
import type { JsonValue } from '../../types/json.ts'
import type { TunnelRequest } from '../../types/engine.ts'
import type { FetchGrant } from '../../types/profile.ts'
import type { RequestNote } from '../capability.ts'
import { notGranted, tooLarge } from '../refusals.ts'
import { readClientHello } from './client-hello.ts'
import { CONNECT_MS, IDLE_MS, pinTo, type Connections } from './connections.ts'
import type { FetchPolicy } from './fetch-policy.ts'
import { failing } from './failing.ts'
import { createLimit } from './limit.ts'
import type { Resolve, ResolvedAddress } from './resolver.ts'
import { vet } from './vet.ts'

/**
 * Connects a program with a granted https origin. Resolves once the connection is over, or with
 * `failed` when there was none to be had; rejects with the refusal when it was not to be.
 */
export type OpenTunnel = (
  context: CapabilityContext,
  request: TunnelRequest,
  note: RequestNote,
) => Promise<JsonValue>

export interface TunnelSpec {
  readonly resolve: Resolve
  policyOf(grant: FetchGrant): FetchPolicy
  connectionsOf(context: CapabilityContext): Connections
}

const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|[^[\]:/?#@\\\s%]+):[0-9]{1,5}$/
/** What TLS itself says, on top of what a grant allows. */
const TLS_BYTES = 64 * 1024

/** Creates the broker of connections that the host cannot look into. */
export function createTunnelBroker(spec: TunnelSpec): OpenTunnel {
  return async (context, { authority, accept }, note) => {
    const { fetch } = context.grants
    if (fetch === undefined) throw notGranted('fetch', "fetch is not granted by the tool's profile")
    if (!AUTHORITY.test(authority)) throw notGranted('fetch', 'a tunnel leads to host:port')
    const policy = spec.policyOf(fetch)
    const url = policy.parseTarget(`https://${authority}/`)
    using limit = createLimit(context.signal)
    const { signal } = limit
    return await failing(async () => {
      const addresses = await vet(url, policy, spec.resolve, signal)
      using _place = await spec.connectionsOf(context).hold(signal)
      const far = await dial(url, addresses, signal)
      const near = accept()
      try {
        near.unshift(await readHello(near, url, signal))
        await join({ near, far, signal, note, maxBytes: policy.maxBytes + TLS_BYTES })
        return null
      } finally {
        near.destroy()
        far.destroy()
      }
    }, context.signal)
  }
}

async function dial(
  url: URL,
  addresses: readonly ResolvedAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? 443 : Number(url.port)
  const socket = connect({
    host,
    port,
    lookup: pinTo(addresses),
    autoSelectFamily: true,
    allowHalfOpen: true,
  })
  const stop = (): void => void socket.destroy(signal.reason as Error)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  socket.setTimeout(CONNECT_MS, () => {
    socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }))
  })
  try {
    await once(socket, 'connect')
  } finally {
    signal.removeEventListener('abort', stop)
  }
  socket.setTimeout(IDLE_MS)
  return socket
}

/** The first bytes of a program, once they ask for the granted name and no other. */
async function readHello(near: Duplex, url: URL, signal: AbortSignal): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  const timer = setTimeout(() => near.destroy(), IDLE_MS)
  const stop = (): void => void near.destroy()
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of near.iterator({ destroyOnReturn: false })) {
      bytes = Buffer.concat([bytes, chunk as Buffer])
      const hello = readClientHello(bytes)
      if (hello.kind === 'partial') continue
      if (hello.kind === 'hello' && asksFor(hello.serverName, url)) return bytes
      throw notGranted(
        'fetch',
        `a tunnel to ${url.host} carries TLS for that name and nothing else`,
      )
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
  throw Object.assign(new Error('closed before it began'), { code: 'ECONNRESET' })
}

function asksFor(serverName: string | undefined, { hostname }: URL): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0) return serverName === undefined || serverName === literal
  return serverName?.toLowerCase() === hostname
}

async function join(ends: {
  readonly near: Duplex
  readonly far: Socket
  readonly signal: AbortSignal
  readonly note: RequestNote
  readonly maxBytes: number
}): Promise<void> {
  const { near, far, signal, note, maxBytes } = ends
  far.on('timeout', () => far.destroy())
  const sent = counted(maxBytes, (bytes) => (note.bytesSent = bytes))
  const received = counted(maxBytes, (bytes) => (note.bytesReceived = bytes))
  const ways = [
    pipeline(near, sent, far, { signal }),
    pipeline(far, received, near, { signal }),
  ] as const
  try {
    await Promise.all(ways)
  } catch (error) {
    near.destroy()
    far.destroy()
    await Promise.allSettled(ways)
    // Of what it carried the host knows nothing: an end is an end, unless we have made it.
    if (isCaissonError(error)) throw error
  }
}

function counted(maxBytes: number, tell: (bytes: number) => void): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      tell(bytes)
      if (bytes <= maxBytes) return done(null, chunk)
      done(tooLarge('fetch', `a tunnel carries ${maxBytes} bytes each way`, maxBytes))
    },
  })
}
