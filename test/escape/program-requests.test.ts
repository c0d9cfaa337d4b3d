import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { defineTools, valueOf } from './attack.ts'
import { FETCH_ALL, startListener } from './listener.ts'
import { openProgramArena, programLimits } from './program-arena.ts'
import { removeFolder } from '../helpers/folders.ts'

const DENIED = 'CAPABILITY_DENIED'
const POLLUTED = '{"__proto__":{"polluted":true}}'
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
const canary = await startListener((_request, response) => response.end('canary'))
const server = await startListener(({ url = '' }, response) => {
  const to = new URL(url, 'http://x').searchParams.get('to')
  if (to !== null) return response.writeHead(302, { location: to }).end()
  if (url === '/bomb') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  if (url === '/loop') return response.writeHead(307, { location: '/loop' }).end()
  return response.end('hello')
})
const work = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-requests-')))
const outside = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-outside-')))
writeFileSync(join(outside, 'secret'), 'secret')
mkdirSync(join(work, 'folder'))
symlinkSync(join(outside, 'secret'), join(work, 'link'))
symlinkSync(outside, join(work, 'folder', 'out'))
symlinkSync('../link', join(work, 'folder', 'twice'))
symlinkSync(join(outside, 'new'), join(work, 'dangling'))
afterAll(() => {
  for (const folder of [work, outside]) removeFolder(folder)
})

/** So that no guard sees what they are, and only the walls are left. */
const apart = (paths: readonly string[]): string[][] => paths.map((path) => path.split('/'))

describeConfined('what a Node program asks of the host', () => {
  const arena = openProgramArena({
    workspace: work,
    profiles: [
      {
        name: 'asks',
        engine: 'process',
        limits: programLimits,
        fetch: { allow: [server.origin, 'https://*.example.com'], methods: ['GET', 'POST'] },
        fs: { read: ['workspace:/**'], write: ['workspace:/**'] },
        kv: {},
      },
    ],
  })
  beforeAll(() =>
    arena.load({
      profile: 'asks',
      timeoutMs: 20_000,
      source: defineTools({
        fetches: FETCH_ALL,
        headers: `
          const say = (headers) => fetch(args.url, { headers }).then((r) => r.status, (e) => e.code)
          return Promise.all(args.headers.map(say))`,
        crowd: `
          const said = {}
          const say = () => fetch(args.url).then((r) => 'ok ' + r.status, (e) => e.code)
          for (const what of await Promise.all(Array.from({ length: 3000 }, say))) said[what] = (said[what] ?? 0) + 1
          return said`,
        nonsense: `
          const say = (promise) => promise.then(() => 'ok', (e) => e.code)
          const said = []
          for (const what of [{}, [], 2 ** 53, -1, 'a\\0b', 'x'.repeat(10_000_000)])
            said.push(await say(exec.kv.get(what)), await say(exec.kv.set(what, 1)))
          said.push(await say(exec.kv.set('k', undefined)), await say(exec.kv.list(5)))
          return said`,
        pollutes: `return { a: JSON.parse('${POLLUTED}'), list: [JSON.parse('${POLLUTED}')], args }`,
        reads: `
          const fs = await import('node:fs')
          return args.paths.map((parts) => parts.join('/')).map((path) => {
            try { return String(fs.readFileSync(path)) } catch (error) { return error.code }
          })`,
        writes: `
          const fs = await import('node:fs')
          return args.paths.map((path) => {
            try { return fs.writeFileSync(path, 'escaped') ?? 'ok' } catch (error) { return error.code }
          })`,
      }),
    }),
  )
  const said = async (tool: string, args: object = {}): Promise<unknown> =>
    valueOf(await arena.call({ tool, args, timeoutMs: 20_000 }))

  test('ATK-079 no spelling of this machine is reached from a program', async () => {
    const hosts = [
      ...['169.254.169.254', '[fd00:ec2::254]', '127.0.0.1', '[::1]', '0.0.0.0', 'LOCALHOST'],
      ...['[::ffff:127.0.0.1]', '0177.0.0.1', '0x7f.0.0.1', '2130706433', '127.0.0.1.'],
    ]
    const urls = hosts.map((host) => `http://${host}:${canary.port}/`)
    expect(await said('fetches', { urls })).toEqual(urls.map(() => DENIED))
    expect(canary.sockets.opened).toBe(0)
  })

  test('ATK-082 nor does another host look like a granted one', async () => {
    const urls = [
      ...['https://a.example.com.evil.test/', 'https://evil.test#a.example.com'],
      ...['https://evil.test\\@a.example.com', 'https://a.exa\tmple.com.evil.test/'],
      ...['https://example.com/', 'https://notexample.com/', 'https://a.example.com:8443/'],
      ...['http://a.example.com/', 'file:///etc/passwd', 'ftp://a.example.com/'],
    ]
    expect(await said('fetches', { urls })).toEqual(urls.map(() => DENIED))
  })

  test('ATK-089 a name with NUL in it is refused or is no address at all', async () => {
    const urls = ['https://evil.test\0.example.com/', 'https://evil.test%00.example.com/']
    for (const what of (await said('fetches', { urls })) as string[]) {
      // Node's own Request does not take such an address in the first place.
      expect([DENIED, 'ERR_INVALID_URL', 'failed ERR_INVALID_URL']).toContain(what)
    }
  })

  test('ATK-080 redirects lead a program nowhere else', async () => {
    const targets = [canary.origin, 'https://other.test/', 'file:///etc/passwd']
    const urls = targets.map((to) => `${server.origin}/?to=${encodeURIComponent(to)}`)
    urls.push(`${server.origin}/loop`)
    expect(await said('fetches', { urls })).toEqual(urls.map(() => DENIED))
    expect(canary.sockets.opened).toBe(0)
  })

  test('ATK-083 no header of a program is one of the connection', async () => {
    const headers = [
      ...[{ Host: 'evil.test' }, { 'Content-Length': '5' }, { 'Transfer-Encoding': 'chunked' }],
      ...[{ Connection: 'upgrade' }, { 'Proxy-Authorization': 'x' }],
    ]
    const before = server.requests.length
    const codes = await said('headers', { url: server.origin, headers })
    expect(codes).toEqual(headers.map(() => 'INVALID_ARGS'))
    expect(server.requests).toHaveLength(before)
  })

  test('ATK-085 a bomb is OUTPUT_LIMIT for a program too', async () => {
    const before = process.memoryUsage.rss()
    expect(await said('fetches', { urls: [`${server.origin}/bomb`] })).toEqual(['OUTPUT_LIMIT'])
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('ATK-088 three thousand requests at once use six sockets, and ATK-086 a thousand are served at most', async () => {
    server.sockets.most = server.sockets.open
    const counts = (await said('crowd', { url: server.origin })) as Record<string, number>
    expect(Object.keys(counts).toSorted()).toEqual(['OVERLOADED', 'ok 200'])
    expect(counts['ok 200']).toBeLessThanOrEqual(1_000)
    expect(server.sockets.most).toBeLessThanOrEqual(6)
    await expect.poll(() => server.sockets.open).toBe(0)
  })

  test('ATK-025 a program that asks for nonsense is told so', async () => {
    expect(new Set((await said('nonsense')) as string[])).toEqual(new Set(['INVALID_ARGS']))
  })

  test('ATK-001 an own __proto__ in what a program gets and gives stays data', async () => {
    const args: unknown = JSON.parse(`{"deep":[${POLLUTED}],"__proto__":{"x":1}}`)
    const text = JSON.stringify(await said('pollutes', args as object))
    expect(text).toBe(`{"a":${POLLUTED},"list":[${POLLUTED}],"args":${JSON.stringify(args)}}`)
    expect([Reflect.get({}, 'polluted'), Reflect.get({}, 'x')]).toEqual([undefined, undefined])
  })

  test('ATK-092 a link in a granted folder leads a program nowhere outside of it', async () => {
    const paths = ['link', 'folder/out/secret', 'folder/twice'].map((path) => `/workspace/${path}`)
    expect(await said('reads', { paths: apart(paths) })).toEqual(['ENOENT', 'ENOENT', 'ENOENT'])
    const writes = ['/workspace/dangling', '/workspace/folder/out/new']
    expect(await said('writes', { paths: writes })).toEqual(['ENOENT', 'ENOENT'])
    expect(existsSync(join(outside, 'new'))).toBe(false)
  })

  test('ATK-091 nor does a path that goes up, is absolute, or names a device', async () => {
    const paths = [
      `/workspace/../..${outside}/secret`,
      join(outside, 'secret'),
      `${work}-evil/x`,
      `/workspace//../${outside}/secret`,
      '/proc/1/root/etc/shadow',
      `/proc/self/root${outside}/secret`,
      '/workspace/folder/../../etc/shadow',
    ]
    for (const what of (await said('reads', { paths: apart(paths) })) as string[]) {
      expect(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR']).toContain(what)
    }
  })

  test('ATK-041 a program that answers at its deadline counts whole or not at all', async () => {
    const body =
      'await new Promise((resolve) => setTimeout(resolve, args.ms)); return { whole: true }'
    await arena.load({ tool: 'edges', body, profile: 'asks', timeoutMs: 400 })
    for (const ms of [300, 340, 360, 380, 390, 395, 400, 405]) {
      const { result } = await arena.call({ tool: 'edges', args: { ms }, timeoutMs: 400 })
      if (result.isError) expect(result.error.code).toBe('TOOL_TIMEOUT')
      else expect(result.value).toEqual({ whole: true })
    }
  }, 30_000)
})
