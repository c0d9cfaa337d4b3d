import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openArena, valueOf } from './attack.ts'
import { startListener } from './listener.ts'
import { removeFolder } from '../helpers/folders.ts'

const workspace = mkdtempSync(join(tmpdir(), 'caisson-nothing-'))
afterAll(() => removeFolder(workspace))
writeFileSync(join(workspace, 'a.txt'), 'a')
const canary = await startListener((_request, response) => response.end())
const arena = openArena({
  workspace,
  profiles: [
    { name: 'absent', engine: 'isolate' },
    {
      name: 'empty',
      engine: 'isolate',
      fetch: { allow: [], methods: [] },
      fs: { read: [], write: [] },
      env: {},
    },
  ],
})

test.each(['absent', 'empty'])(
  'ATK-103 a profile with %s grants gives nothing at all',
  async (profile) => {
    const body = `
    const fs = require('node:fs/promises')
    const code = (e) => e.code
    return [
      await fetch(args.url).then(() => 'ok', code),
      await fetch('https://example.com').then(() => 'ok', code),
      await fs.readFile('a.txt').then(() => 'ok', code),
      await fs.readFile('package:/package.json').then(() => 'ok', code),
      await fs.readdir('.').then(() => 'ok', code),
      await fs.writeFile('b.txt', '').then(() => 'ok', code),
      Object.keys(process.env),
      exec.kv,
    ].map((what) => what ?? null)
  `
    const said = valueOf(await arena.attack({ profile, body, args: { url: canary.origin } }))
    const refused = profile === 'absent' ? 'CAPABILITY_DENIED' : 'FS_SANDBOX_DENIED'
    expect(said).toEqual([
      ...['CAPABILITY_DENIED', 'CAPABILITY_DENIED', refused, refused, refused, refused],
      [],
      null,
    ])
    expect(canary.sockets.opened).toBe(0)
  },
)
