import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openArena, valueOf } from './attack.ts'
import { startListener } from './listener.ts'
import { removeFolder } from '../helpers/folders.ts'

const workspace = mkdtempSync(join(tmpdir(), 'caisson-shapes-'))
afterAll(() => removeFolder(workspace))
const canary = await startListener((_request, response) => response.end())
const profile = 'everything'
const arena = openArena({
  workspace,
  profiles: [
    {
      name: profile,
      engine: 'isolate',
      fetch: { allow: [canary.origin], methods: ['GET', 'POST'] },
      fs: { read: ['workspace:/**'], write: ['workspace:/**'] },
      kv: {},
    },
  ],
})

test('ATK-025 brokers asked for nonsense answer INVALID_ARGS and do nothing', async () => {
  const body = `
    const fs = require('node:fs/promises')
    const nonsense = [{}, [], 2 ** 53, -1, 'a\\0b', 'x'.repeat(10_000_000)]
    const say = (promise) => promise.then(() => 'ok', (e) => e.code)
    const said = []
    for (const what of nonsense) said.push(await say(exec.kv.get(what)), await say(exec.kv.set(what, 1)))
    for (const what of nonsense.slice(0, 4)) said.push(await say(fetch(what)))
    said.push(await say(fetch('x'.repeat(10_000_000))), await say(fetch(args.url, { method: 'G ET' })))
    said.push(await say(fetch(args.url, { redirect: 7 })), await say(exec.kv.set('k', undefined)))
    said.push(await say(exec.kv.set('k', () => 1)), await say(exec.kv.list(5)))
    said.push(await say(fs.readFile('x'.repeat(10_000_000))), await say(fs.writeFile('a', '', { flag: 'zz' })))
    said.push(await say(fs.access('a', 'all')), await say(fs.access('a', 2 ** 53)))
    return said
  `
  const args = { url: canary.origin }
  const said = valueOf(await arena.attack({ profile, body, args, timeoutMs: 15_000 }))
  expect(new Set(said as string[])).toEqual(new Set(['INVALID_ARGS']))
  expect(canary.sockets.opened).toBe(0)
  expect(readdirSync(workspace)).toEqual([])
})

test('ATK-025 a refusal of nonsense that is let through is INVALID_ARGS, not the caller’s', async () => {
  const { result } = await arena.attack({ profile, body: `await exec.kv.get('')` })
  expect(result).toMatchObject({ isError: true, error: { code: 'INVALID_ARGS', capability: 'kv' } })
})

test('kept values stay between calls, for this tool and agent', async () => {
  const body = `
    const { kv } = exec
    const before = await kv.get('count')
    await kv.set('count', { n: (before?.n ?? 0) + 1 })
    return [await kv.get('count'), await kv.list(), await kv.delete('none'), Object.isFrozen(kv)]
  `
  await arena.load({ profile, body })
  await arena.call({})
  expect(valueOf(await arena.call({}))).toEqual([{ n: 2 }, ['count'], false, true])
})
