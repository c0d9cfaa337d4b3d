import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createConfiner, toUnavailable } from '../../src/sandbox/confiner.ts'
import { explainFailure } from '../../src/sandbox/confiner-reasons.ts'
import { describeConfined } from '../helpers/confined.ts'
import { removeFolder } from '../helpers/folders.ts'

const folder = mkdtempSync(join(tmpdir(), 'caisson-confiner-'))
afterAll(() => removeFolder(folder))

const settings =
  (values: Readonly<Record<string, string>>) =>
  (name: string): string =>
    values[name] ?? ''

describe('createConfiner()', () => {
  test.skipIf(process.platform !== 'linux')(
    'ATK-101 without bubblewrap it says so, and how to install it',
    async () => {
      const confiner = createConfiner({ path: folder, diagnose: () => undefined })
      const failure = await confiner.check()
      expect(failure?.reason).toBe('bubblewrap (bwrap) is not installed')
      expect(failure?.hint).toContain('apt-get install bubblewrap')
    },
  )

  test.skipIf(process.platform !== 'linux')(
    'ATK-101 BUG-30 a bwrap that breaks is not believed, and starts nothing',
    async () => {
      const marker = join(folder, 'ran')
      const said: string[] = []
      writeFileSync(
        join(folder, 'bwrap'),
        '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n',
        { mode: 0o755 },
      )
      const confiner = createConfiner({ path: folder, diagnose: (text) => void said.push(text) })
      expect((await confiner.check())?.reason).toMatch(/user namespaces/)
      expect(said.join()).toContain('Permission denied')
      const start = confiner.start({
        argv: ['/bin/sh', '-c', `touch ${marker}`],
        env: {},
        hasStdin: false,
        hasChannel: false,
        binds: [],
        covers: [],
        tmpfsBytes: 1_000_000,
        cwd: '/tmp',
        limits: { fileBytes: 1_000, files: 64 },
      })
      await expect(start).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    },
  )

  test.skipIf(process.platform !== 'linux')(
    'a bwrap that merely runs the program is not believed either',
    async () => {
      // It ignores every option and lets the program go.
      const fake = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n'
      writeFileSync(join(folder, 'bwrap'), fake, { mode: 0o755 })
      const confiner = createConfiner({ path: folder, diagnose: () => undefined })
      expect(await confiner.check()).toBeDefined()
    },
  )
})

describeConfined('a confiner of this machine', () => {
  test('has seen a sandbox work, and does not look twice', async () => {
    const confiner = createConfiner({
      path: process.env['PATH'] ?? '',
      diagnose: () => undefined,
    })
    expect(await confiner.check()).toBeUndefined()
    const begun = performance.now()
    expect(await confiner.check()).toBeUndefined()
    expect(performance.now() - begun).toBeLessThan(5)
  })
})

describe('explainFailure()', () => {
  const APPARMOR = 'kernel.apparmor_restrict_unprivileged_userns'

  test.each([
    ['bwrap: Unknown option --disable-userns', {}, /too old/, /0\.8/],
    ['bwrap: setting up uid map: Permission denied', { [APPARMOR]: '1' }, /AppArmor/, /profile/],
    [
      'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
      { [APPARMOR]: '1' },
      /AppArmor/,
      /sysctl/,
    ],
    [
      'bwrap: No permissions to create new namespace',
      { 'kernel.unprivileged_userns_clone': '0' },
      /kernel\.unprivileged_userns_clone = 0/,
      /raise/,
    ],
    [
      'bwrap: Creating new namespace failed: nesting depth (ENOSPC)',
      { 'user.max_user_namespaces': '0' },
      /user\.max_user_namespaces = 0/,
      /raise/,
    ],
    [
      'bwrap: Creating new namespace failed: Operation not permitted',
      {},
      /a container around the host/,
      /container/,
    ],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      {},
      /nested container/,
      /container/,
    ],
    ['bwrap: prctl(PR_SET_SECCOMP): Invalid argument', {}, /seccomp/, /kernel/],
    ['something else', {}, /cannot set up a sandbox/, /diagnostics/],
  ] as const)('ATK-101 BUG-30 %s %o', (text, values, reason, hint) => {
    const found = explainFailure(text, settings(values))
    expect(found.reason).toMatch(reason)
    expect(found.hint).toMatch(hint)
    const error = toUnavailable(found)
    expect(error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE', reason: found.reason })
    expect(error.message).toContain(found.hint)
  })
})
