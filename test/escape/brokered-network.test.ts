import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, expect, test } from 'vitest'
import type { CapabilityRecord } from '../../src/types/capability.ts'
import { describeConfined } from '../helpers/confined.ts'
import { valueOf, type Attacked } from './attack.ts'
import { startListener } from './listener.ts'
import { openProgramArena } from './program-arena.ts'

const SECRET = 'sk-live-0123456789abcdef'
const KEY = '0123456789abcdef'
const heard: (string | undefined)[] = []
const allowed = await startListener((request, response) => {
  heard.push(request.headers.authorization)
  if (request.url === '/to-other') return response.writeHead(302, { location: other.origin }).end()
  if (request.url === '/large') return response.end(Buffer.alloc(64 * 1024))
  if (request.url === '/slow') return
  if (request.url === '/echo') return void request.pipe(response)
  if (request.url === '/leak') return response.end(`you said ${request.headers.authorization}`)
  response.end(`hello ${request.method} ${request.url}`)
})
const other = await startListener((_request, response) => response.end('canary'))
let knocks = 0
const canary = await listenOn(
  createServer((socket) => {
    knocks += 1
    socket.destroy()
  }),
  '0.0.0.0',
)
// A key that both sides know spares a certificate.
const psk = { pskCallback: () => Buffer.from(KEY), ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const
const secure = createHttpsServer(psk, (request, response) => {
  response.end(request.url === '/large' ? Buffer.alloc(1024 * 1024) : `secure ${request.url}`)
})
const securePort = await listenOn(secure, '127.0.0.1')

async function listenOn(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  afterAll(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** What a client of the proxy is told: status, code of ours, body. */
const CLIENT = `
  const http = require('node:http'), tls = require('node:tls'), net = require('node:net')
  const psk = { pskCallback: () => ({ psk: Buffer.from('${KEY}'), identity: 'x' }), ciphers: 'PSK', maxVersion: 'TLSv1.2', checkServerIdentity: () => undefined }
  const ask = (path, options = {}, body = '') => new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port: 3128, path, agent: false, ...options })
    const code = ({ statusCode, headers }) => [statusCode, headers['x-caisson-code'] ?? '']
    request.on('response', (response) => {
      let text = ''
      response.on('error', () => resolve(['broken'])).on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve([...code(response), ...(response.statusCode < 400 ? [text] : [])]))
    })
    request.on('connect', (response, socket) => (socket.destroy(), resolve(code(response))))
    request.on('error', (error) => resolve([error.code]))
    request.end(body)
  })
  const connect = (path, talk) => new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port: 3128, path, method: 'CONNECT', agent: false })
    request.on('connect', (response, socket) => talk(socket.on('error', () => undefined), resolve, response.statusCode))
    request.on('error', (error) => resolve([error.code]))
    request.end()
  })
  const secure = (path, options = {}) => connect('127.0.0.1:${securePort}', (socket, resolve) => {
    const safe = tls.connect({ socket, ...psk, ...options })
    let text = ''
    safe.on('error', (error) => resolve(error.code)).on('data', (chunk) => (text += chunk.toString('latin1')))
    safe.on('close', () => resolve(text.length > 1000 ? text.length : text.split('\\r\\n').at(-1)))
    safe.end('GET ' + path + ' HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n')
  })
`

describeConfined('a program with a brokered network', () => {
  const limits = { timeoutMs: 60_000, graceMs: 50, memoryMb: 64 }
  const base = { engine: 'process', limits, fs: { read: ['package:/**'] } }
  const withBroker = { ...base, process: { network: 'broker' } }
  const fetch = {
    allow: [allowed.origin, `https://127.0.0.1:${securePort}`, `https://localhost:${canary}`],
    methods: ['GET', 'POST'],
    maxBytes: 32 * 1024,
  }
  const arena = openProgramArena({
    secrets: { EXAMPLE: { env: 'CAISSON_TEST_SECRET', hosts: [allowed.origin] } },
    profiles: [
      { ...withBroker, name: 'brokered', fetch, env: { API_TOKEN: { secret: 'EXAMPLE' } } },
      { ...withBroker, name: 'empty' },
      { ...withBroker, name: 'few', fetch, limits: { ...limits, capabilityCalls: 3 } },
      { ...base, name: 'closed', fetch },
    ],
  })
  const run = (script: string, profile = 'brokered'): Promise<Attacked> =>
    arena.run({ command: ['node', '-e', script], timeoutMs: 20_000, profile })
  /** What `script`, an async function's body, returns. */
  const say = async (script: string, profile?: string): Promise<unknown> => {
    const text = `${CLIENT};(async () => { ${script} })().then((said) => console.log(JSON.stringify(said)))`
    return JSON.parse(String(valueOf(await run(text, profile))))
  }
  const recorded = async (work: () => Promise<unknown>): Promise<CapabilityRecord[]> => {
    const entries: CapabilityRecord[] = []
    const off = arena.host.on('tools/capability', (_exec, entry) => void entries.push(entry))
    await work()
    off()
    return entries
  }

  test('clients that know proxies reach what is granted, and the host writes it down', async () => {
    const entries = await recorded(async () => {
      const script = `fetch('${allowed.origin}/a').then(async (r) => console.log(r.status, await r.text()))`
      expect(valueOf(await run(script))).toBe('200 hello GET /a\n')
      const shell = `command -v curl >/dev/null || { printf 'hello GET /b'; exit; }; curl -sS ${allowed.origin}/b`
      const curl = await arena.run({ command: ['sh', '-c', shell], profile: 'brokered' })
      expect(valueOf(curl)).toBe('hello GET /b')
      const said = await say(
        `return await ask('${allowed.origin}/echo', { method: 'POST' }, 'text')`,
      )
      expect(said).toEqual([200, '', 'text'])
      expect(await say("return await secure('/s')")).toBe('secure /s')
    })
    expect(entries.at(0)).toMatchObject({ operation: 'GET', target: `${allowed.origin}/a` })
    expect(entries.at(-1)).toMatchObject({
      operation: 'CONNECT',
      target: `https://127.0.0.1:${securePort}`,
      decision: 'granted',
    })
    expect(entries.at(-1)?.bytesReceived).toBeGreaterThan(50)
  })

  test('ATK-087 what is not granted is refused, and nobody hears of it', async () => {
    const lan = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const hosts = [
      `127.0.0.1:${canary}`,
      `[::1]:${canary}`,
      `[::ffff:127.0.0.1]:${canary}`,
      `localhost:${canary}`,
      `0.0.0.0:${canary}`,
      `2130706433:${canary}`,
      `0x7f.1:${canary}`,
      `017700000001:${canary}`,
      `127.0.0.1.:${canary}`,
      '169.254.169.254:80',
      '10.0.0.1:80',
      '[fd00:ec2::254]:80',
      `127.0.0.1@example.com:${canary}`,
      `evil#127.0.0.1:${canary}`,
      ...lan.map(({ address, family }) =>
        family === 'IPv6' ? `[${address}]:${canary}` : `${address}:${canary}`,
      ),
    ]
    const said = (await say(`
      const said = []
      for (const host of ${JSON.stringify(hosts)}) said.push(await ask('http://' + host + '/'), await ask(host, { method: 'CONNECT' }))
      said.push(await ask('${other.origin}/'), await ask('127.0.0.1:${other.port}', { method: 'CONNECT' }))
      // Granted as http, and nobody can look into a tunnel to it.
      said.push(await ask('127.0.0.1:${allowed.port}', { method: 'CONNECT' }))
      // A granted name that leads home.
      said.push(await ask('https://localhost:${canary}/'), await ask('localhost:${canary}', { method: 'CONNECT' }))
      return said`)) as unknown[]
    expect(said).toHaveLength(2 * hosts.length + 5)
    for (const answer of said) {
      // What is no authority at all is not even answered.
      expect([[403, 'CAPABILITY_DENIED'], ['ECONNRESET']]).toContainEqual(answer)
    }
    expect(said.filter((answer) => String(answer) === 'ECONNRESET').length).toBeLessThan(4)
    expect([knocks, other.sockets.opened]).toEqual([0, 0])
  }, 30_000)

  test('ATK-084 there is no way beside the proxy: no address, no name, no other kind of socket', async () => {
    const said = await say(`
      const dgram = require('node:dgram'), dns = require('node:dns/promises')
      const dial = (options) => new Promise((resolve) => net.connect(options, () => resolve('connected')).on('error', (error) => resolve(error.code)))
      return [
        await dial({ host: '127.0.0.1', port: ${canary} }),
        await dial({ host: '10.0.0.1', port: 80 }),
        await dial({ host: '::1', port: ${canary} }),
        await dial({ path: '/run/docker.sock' }),
        await dial({ path: '\\0abstract' }),
        await dns.lookup('example.com').then(() => 'found', (error) => error.code),
        await dns.resolve('example.com').then(() => 'found', (error) => error.code),
        await new Promise((resolve) => { try { dgram.createSocket('udp4').on('error', (error) => resolve(error.code)).bind(0, () => resolve('bound')) } catch (error) { resolve(error.code) } }),
      ]`)
    expect(said).toEqual([
      'ECONNREFUSED',
      'ENETUNREACH',
      'EPERM',
      expect.stringMatching(/^E/),
      expect.stringMatching(/^E/),
      expect.stringMatching(/^EAI_AGAIN|ENOTFOUND$/),
      expect.stringMatching(/^E/),
      expect.stringMatching(/^E/),
    ])
    expect(knocks).toBe(0)
  }, 30_000)

  test('ATK-080 methods, sizes, schemes and redirects are what the grant says', async () => {
    const before = allowed.requests.length
    const origin = allowed.origin
    const said = await say(`return [
      await ask('${origin}/x', { method: 'DELETE' }),
      await ask('${origin}/x', { method: 'TRACE' }),
      await ask('${origin}/echo', { method: 'POST' }, 'x'.repeat(33 * 1024)),
      await ask('${origin}/large'),
      await ask('ftp://127.0.0.1/x'),
      await ask('/not-absolute'),
      await ask('${origin}/to-other'),
      await ask('http://user:pass@127.0.0.1:${allowed.port}/'),
      await ask('${origin}/y', { headers: { host: 'evil.test', 'proxy-authorization': 'x', te: 'x', 'x-more': 'y' } }),
      await ask('${origin}/z', { method: 'GET', headers: { 'content-length': '4' } }, 'body'),
    ]`)
    expect(said).toEqual([
      [403, 'CAPABILITY_DENIED'],
      [403, 'CAPABILITY_DENIED'],
      [413, 'OUTPUT_LIMIT'],
      [502, 'OUTPUT_LIMIT'],
      [403, 'CAPABILITY_DENIED'],
      [400, 'INVALID_ARGS'],
      // The client sees where it leads, and has to ask again.
      [302, '', ''],
      [403, 'CAPABILITY_DENIED'],
      [200, '', 'hello GET /y'],
      [400, 'INVALID_ARGS'],
    ])
    expect(allowed.requests.slice(before)).toEqual(['GET /large', 'GET /to-other', 'GET /y'])
    expect(other.sockets.opened).toBe(0)
  }, 30_000)

  test('ATK-088 a tunnel carries TLS for the granted host, and no more than the grant says', async () => {
    const entries = await recorded(async () => {
      const said = await say(`
        const plain = () => connect('127.0.0.1:${securePort}', (socket, resolve) => {
          socket.on('data', () => resolve('data')).on('close', () => resolve('closed'))
          socket.write('GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')
        })
        return [await secure('/t'), await secure('/u', { servername: 'evil.test' }), await plain(), await secure('/large') > 96 * 1024]`)
      expect(said).toEqual(['secure /t', 'ECONNRESET', 'closed', false])
    })
    expect(entries.map(({ decision, code }) => [decision, code])).toEqual([
      ['granted', undefined],
      ['refused', 'CAPABILITY_DENIED'],
      ['refused', 'CAPABILITY_DENIED'],
      ['refused', 'OUTPUT_LIMIT'],
    ])
  }, 30_000)

  test('ATK-090 a secret goes where it is bound to, and comes back as its name', async () => {
    heard.length = 0
    const said = await say(`
      const headers = { authorization: 'Bearer ' + process.env.API_TOKEN }
      return [
        /^caisson_secret_[0-9a-f]{32}$/.test(process.env.API_TOKEN),
        await ask('${allowed.origin}/leak', { headers }),
        await ask('${allowed.origin}/leak', { headers: { 'x-other': process.env.API_TOKEN } }),
        await ask('${allowed.origin}/' + process.env.API_TOKEN),
        await ask('https://127.0.0.1:${securePort}/', { headers }),
        Object.values(process.env).some((value) => value.includes('sk-live')),
      ]`)
    expect(heard).toEqual([`Bearer ${SECRET}`])
    expect(said).toEqual([
      true,
      [200, '', 'you said Bearer [secret EXAMPLE]'],
      [403, 'CAPABILITY_DENIED'],
      [403, 'CAPABILITY_DENIED'],
      [403, 'CAPABILITY_DENIED'],
      false,
    ])
  })

  test('ATK-103 without a grant everything is refused, and without a broker nothing answers', async () => {
    const all = `return [await ask('${allowed.origin}/'), await ask('127.0.0.1:${securePort}', { method: 'CONNECT' })]`
    const denied = [403, 'CAPABILITY_DENIED']
    expect(await say(all, 'empty')).toEqual([denied, denied])
    expect(await say(all, 'closed')).toEqual([['EPERM'], ['EPERM']])
    expect(valueOf(await run('console.log(process.env.HTTP_PROXY)', 'closed'))).toBe('undefined\n')
  })

  test('ATK-043 requests are counted, and connections that carry none are too', async () => {
    const said = await say(
      `
      const said = []
      for (let n = 0; n < 5; n += 1) said.push((await ask('${allowed.origin}/')).slice(0, 2))
      let open = 0
      const knock = () => new Promise((resolve) => net.connect(3128, '127.0.0.1', function () { open += 1; this.destroy(); resolve() }).on('error', resolve))
      for (let n = 0; n < 300; n += 1) await knock()
      return [said, open < 180]`,
      'few',
    )
    const excess = [429, 'OVERLOADED']
    expect(said).toEqual([[[200, ''], [200, ''], [200, ''], excess, excess], true])
  })

  test('ATK-013 what is no request ends its connection and nothing else', async () => {
    const said = await say(`
      const send = (bytes) => new Promise((resolve) => {
        const socket = net.connect(3128, '127.0.0.1', () => socket.write(bytes))
        let text = ''
        socket.on('data', (chunk) => (text += chunk)).on('error', () => undefined).on('close', () => resolve(text.split('\\r\\n')[0]))
      })
      const get = 'GET ${allowed.origin}/first HTTP/1.1\\r\\nhost: x\\r\\n'
      return [
        await send('\\x16\\x03\\x01 nonsense\\r\\n\\r\\n'),
        await send(get + 'x: ' + 'y'.repeat(40000) + '\\r\\n\\r\\n'),
        await send(get + 'content-length: 3\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n'),
        await send('CONNECT 127.0.0.1:${securePort}/../ HTTP/1.1\\r\\n\\r\\n'),
        (await ask('${allowed.origin}/after'))[0],
      ]`)
    expect(said).toEqual(['', '', '', expect.stringMatching(/^(HTTP.1.1 403.*)?$/), 200])
  })

  test('ATK-040 what is under way when its call ends is broken off', async () => {
    const opened = allowed.sockets.open
    const script = `fetch('${allowed.origin}/slow').catch(() => undefined); setTimeout(() => process.exit(), 500)`
    expect(valueOf(await run(script))).toBe('')
    await expect.poll(() => allowed.sockets.open).toBe(opened)
    const spins = await arena.run({
      command: ['node', '-e', `fetch('${allowed.origin}/slow')`],
      timeoutMs: 1_500,
      profile: 'brokered',
    })
    expect(spins.result).toMatchObject({ error: { code: 'TOOL_TIMEOUT' } })
    await expect.poll(() => allowed.sockets.open).toBe(opened)
    await arena.checkEmpty()
  })

  test('a module has the proxy beside its fetch, and nothing more before its call', async () => {
    const source = `
      import http from 'node:http'
      const get = (path) => new Promise((resolve) => http.get({ host: '127.0.0.1', port: 3128, path, agent: false }, (r) => (r.resume(), resolve(r.statusCode))).on('error', (e) => resolve(e.code)))
      const early = get('${allowed.origin}/early')
      export const attack = {
        name: 'attack', description: 'd', parameters: { type: 'object' }, output: { schema: {}, render: () => [] },
        async execute() { return [await early, await get('${allowed.origin}/late'), (await fetch('${allowed.origin}/own')).status] },
      }`
    const attacked = await arena.attack({ source, profile: 'brokered', timeoutMs: 20_000 })
    // What it asks for while it loads is refused, unless its call has begun before that is heard.
    const [early, ...during] = valueOf(attacked) as number[]
    expect([403, 200]).toContain(early)
    expect(during).toEqual([200, 200])
  })
})
process.env['CAISSON_TEST_SECRET'] = SECRET
