import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveCommand } from '../../src/mcp/resolve-command.ts'
import { makeFolder } from '../helpers/folders.ts'

test('paths of the host become what the server is shown under its profile', () => {
  const workspace = makeFolder('caisson-command-')
  mkdirSync(join(workspace, 'srv'))
  const base = join(workspace, 'srv')
  const entry = {
    command: 'node',
    args: [join(base, 'server.mjs'), join(workspace, 'data/x'), workspace, '/elsewhere', '--flag'],
    env: { FILE: join(workspace, 'data/m.jsonl'), WORD: 'plain' },
  }
  const resolve = (write: readonly string[], confinement: 'required' | 'none' = 'required') =>
    resolveCommand('x', entry, {
      base,
      workspace,
      profile: { confinement, fs: { read: ['package:/**'], write, maxBytes: 1 } },
    })
  expect(resolve([])).toMatchObject({
    argv: [
      'node',
      '/package/server.mjs',
      join(workspace, 'data/x'),
      workspace,
      '/elsewhere',
      '--flag',
    ],
    env: { FILE: join(workspace, 'data/m.jsonl'), WORD: 'plain' },
    root: base,
  })
  expect(resolve(['workspace:/data/**'])).toMatchObject({
    argv: ['node', '/package/server.mjs', '/workspace/data/x', workspace, '/elsewhere', '--flag'],
    env: { FILE: '/workspace/data/m.jsonl', WORD: 'plain' },
  })
  expect(resolve(['workspace:/**']).argv[3]).toBe('/workspace')
  expect(resolve(['workspace:/**'], 'none').argv).toEqual(['node', ...entry.args])
})
