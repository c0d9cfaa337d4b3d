import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { unconfinable } from '../helpers/confined.ts'
import { removeFolder } from '../helpers/folders.ts'

const folder = mkdtempSync(join(tmpdir(), 'caisson-unconfinable-'))
afterAll(() => removeFolder(folder))
const FIXTURE = fileURLToPath(new URL('../fixtures/program-host.ts', import.meta.url))

/** Whether this machine can show a host that it cannot. */
function canNest(): boolean {
  if (unconfinable !== undefined) return false
  try {
    execFileSync('bwrap', [
      '--unshare-user',
      '--unshare-pid',
      '--dev-bind',
      '/',
      '/',
      '--proc',
      '/proc',
      'true',
    ])
    return true
  } catch {
    return false
  }
}

describe.skipIf(process.platform !== 'linux')('a host that cannot confine', () => {
  const manifest = join(folder, 'mark.tool.json')
  const marker = join(folder, 'ran')
  writeFileSync(
    manifest,
    JSON.stringify({
      name: 'mark',
      description: 'leaves a mark',
      parameters: { type: 'object' },
      command: ['touch', marker],
    }),
  )
  interface Said {
    readonly code: string
    readonly reason?: string
    readonly message: string
    readonly diagnostics: readonly string[]
    readonly load: string
  }
  const hostIn = (wrapper: readonly string[], env: Record<string, string> = {}): Said => {
    const [file, ...args] = [
      ...wrapper,
      process.execPath,
      '--conditions=caisson-source',
      FIXTURE,
      'once',
      manifest,
    ]
    const { stdout, stderr } = spawnSync(file, args, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      encoding: 'utf8',
      timeout: 30_000,
    })
    const line = stdout.trim().split('\n').at(-1) ?? ''
    if (line === '') throw new Error(`the host said nothing: ${stderr}`)
    return JSON.parse(line) as Said
  }

  test('ATK-101 without bubblewrap nothing runs, and the refusal says how to install it', () => {
    const said = hostIn([], { PATH: folder })
    expect(said).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', load: 'SANDBOX_UNAVAILABLE' })
    expect(said.message).toContain('apt-get install bubblewrap')
    expect(existsSync(marker)).toBe(false)
  })

  test.skipIf(!canNest())('ATK-101 BUG-30 where user namespaces are used up nothing runs', () => {
    const said = hostIn(['bwrap', '--unshare-user', '--disable-userns', '--dev-bind', '/', '/'])
    expect(said).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', load: 'SANDBOX_UNAVAILABLE' })
    expect(said.reason).toMatch(/user namespaces/)
    expect(said.diagnostics.join()).toMatch(/namespace/)
    expect(existsSync(marker)).toBe(false)
  })

  test.skipIf(!canNest())('ATK-101 in a container that hides parts of /proc nothing runs', () => {
    // bwrap itself covers a part of what it mounts.
    const container = ['--unshare-user', '--unshare-pid', '--dev-bind', '/', '/', '--proc', '/proc']
    const said = hostIn(['bwrap', ...container])
    expect(said).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(said.reason).toMatch(/nested container/)
    expect(existsSync(marker)).toBe(false)
  })
})
