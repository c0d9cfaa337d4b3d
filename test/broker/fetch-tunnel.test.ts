import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { compileFetchPolicy } from '../../src/broker/fetch/fetch-policy.ts'
import { createConnections } from '../../src/broker/fetch/connections.ts'
import { createTunnelBroker } from '../../src/broker/fetch/tunnel.ts'
import type { CapabilityContext } from '../../src/types/capability.ts'

interface Tunnelled {
  readonly outcome: Promise<unknown>
  readonly lookups: string[]
  readonly reached: Socket[]
}

/** A tunnel to a name that leads to a server of ours, which stands for one of the public network. */
async function tunnel(
  authority: string,
  say: (near: Duplex) => void,
  settleAfter?: number,
): Promise<Tunnelled> {
  const reached: Socket[] = []
  const server = createServer((socket) => void reached.push(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ended = new AbortController()
  onTestFinished(() => {
    ended.abort()
    for (const socket of reached) socket.destroy()
    server.close()
  })
  const grant = { allow: [`https://granted.test:${port}`], methods: ['GET'], maxBytes: 1024 }
  const lookups: string[] = []
  const connections = createConnections()
  const open = createTunnelBroker({
    policyOf: () => ({
      ...compileFetchPolicy(grant, () => new Set()),
      checkAddress: () => undefined,
    }),
    connectionsOf: () => connections,
    resolve: async (name) => (lookups.push(name), [{ address: '127.0.0.1', family: 4 }]),
  })
  const context: CapabilityContext = {
    callId: 'c',
    tool: 't',
    grants: { fetch: grant, secrets: {}, calls: 10, source: 's' },
    placeholders: new Map(),
    signal: ended.signal,
    record: () => undefined,
  }
  const accept = (): Duplex => {
    const [near, far] = duplexes()
    say(far)
    return near
  }
  const note = { operation: '', target: '', bytesSent: 0, bytesReceived: 0 }
  const outcome = open(context, { authority: authority.replace('PORT', `${port}`), accept }, note)
  outcome.catch(() => undefined)
  if (settleAfter !== undefined) setTimeout(() => ended.abort(), settleAfter)
  return { outcome, lookups, reached }
}

function duplexes(): [Duplex, Duplex] {
  const ends: Duplex[] = []
  for (const other of [1, 0]) {
    ends.push(
      new Duplex({
        read: () => undefined,
        write: (chunk, _encoding, done) => (ends[other]?.push(chunk), done()),
        final: (done) => (ends[other]?.push(null), done()),
        destroy: (_error, done) => (ends[other]?.push(null), done(null)),
      }),
    )
  }
  return ends as [Duplex, Duplex]
}

test('a tunnel to a granted name asks for that name and reaches the address that was found', async () => {
  const { reached, lookups } = await tunnel('granted.test:PORT', (near) => {
    connect({ socket: near as never, servername: 'granted.test' }).on('error', () => undefined)
  })
  await expect.poll(() => reached.length).toBe(1)
  const [bytes] = (await once(reached[0] as Socket, 'data')) as [Buffer]
  expect(bytes.includes('granted.test')).toBe(true)
  expect(lookups).toEqual(['granted.test'])
})

test.each(['other.test', ''])(
  'a tunnel to a granted name that asks for %j is refused',
  async (servername) => {
    const { outcome, reached } = await tunnel('granted.test:PORT', (near) => {
      connect({ socket: near as never, ...(servername === '' ? {} : { servername }) }).on(
        'error',
        () => undefined,
      )
    })
    await expect(outcome).rejects.toMatchObject({ code: 'CAPABILITY_DENIED' })
    // Nothing of what it said has gone out.
    expect(reached.map(({ bytesRead }) => bytesRead)).toEqual([0])
  },
)

test.each([
  'other.test:443',
  'granted.test:1',
  'granted.test',
  'granted.test:PORT/x',
  'u@granted.test:PORT',
  'GRANTED.test:PORT.',
  'x\0granted.test:PORT',
])('a tunnel to %j is refused before anything is looked up', async (authority) => {
  const { outcome, lookups } = await tunnel(authority, () => undefined)
  await expect(outcome).rejects.toMatchObject({ code: 'CAPABILITY_DENIED' })
  expect(lookups).toEqual([])
})

test('a tunnel ends with its call, also before anything was said in it', async () => {
  const { outcome, reached } = await tunnel('granted.test:PORT', () => undefined, 50)
  await expect(outcome).rejects.toMatchObject({ code: 'CAPABILITY_DENIED' })
  await expect
    .poll(() => reached.every(({ destroyed, readableEnded }) => destroyed || readableEnded))
    .toBe(true)
})
