import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { unconfinable } from '../helpers/confined.ts'
import { defineTool, openArena, valueOf } from './attack.ts'
import { removeFolder } from '../helpers/folders.ts'

const root = mkdtempSync(join(tmpdir(), 'caisson-package-'))
afterAll(() => removeFolder(root))
const TOKEN = 'ghp_0123456789abcdef'
const HIDDEN = [
  '.git/config',
  '.git/logs/HEAD',
  '.env',
  '.npmrc',
  'keys/server.pem',
  '.ssh/config',
  '.mcp.json',
  'caisson.config.json',
]
for (const path of ['package.json', 'data.json', ...HIDDEN]) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), JSON.stringify({ name: 'p', token: TOKEN }))
}
const BODY = `
  const fs = await import('node:fs/promises')
  const at = (name) => new URL('./' + name, import.meta.url)
  const say = (what) => what.then((value) => String(value), (error) => error.code)
  const read = {}
  for (const name of args.names) read[name] = await say(fs.readFile(at(name), 'utf8'))
  const list = await fs.readdir(at(''))
  const git = await say(fs.readdir(at('.git')))
  const asset = await say(fs.readFile(at('data.json'), 'utf8'))
  return { read, list, git, asset }
`
writeFileSync(join(root, 'tool.mjs'), defineTool('attack', BODY))
const arena = openArena({
  profiles: [{ name: 'program', engine: 'process', fs: { read: ['package:/**'] } }],
})

/** A program sees the name of what is closed to it; the broker does not even show that. */
const ENGINES = ['pure', ...(unconfinable === undefined ? ['program'] : [])]

test.each(ENGINES)(
  'under %s a tool reads its assets, and no secret that lies beside them',
  async (profile) => {
    await using _loaded = await arena.host.tools.load(join(root, 'tool.mjs'), { profile })
    const attacked = await arena.call({ args: { names: HIDDEN }, timeoutMs: 20_000 })
    const { read, list, git, asset } = valueOf(attacked) as {
      read: Record<string, string>
      list: string[]
      git: string
      asset: string
    }
    expect(asset).toContain('"name"')
    expect(list).toContain('data.json')
    const refused = profile === 'pure' ? ['FS_SANDBOX_DENIED'] : ['EACCES', 'ENOENT', 'EPERM']
    for (const [name, what] of Object.entries(read))
      expect([name, refused]).toEqual([name, expect.arrayContaining([what])])
    expect(refused).toContain(git)
    if (profile === 'pure') expect(list.filter((name) => name.startsWith('.'))).toEqual([])
  },
)
