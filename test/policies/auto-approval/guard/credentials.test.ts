import { expect, test } from 'vitest'
import { holdsCredential } from '../../../../src/policies/auto-approval/guard/credentials.ts'

const MB = 1_000_000
const MOST_CPU_MS = 60

test.each([
  ['letters', 'x'],
  ['rows', 'region-12,8123\n'],
  ['schemes', 'https://'],
  ['long schemes', `${'a'.repeat(31)}://${'b'.repeat(250)}`],
])('holdsCredential() reads a megabyte of %s in a moment', (_name, part) => {
  const text = part.repeat(Math.ceil(MB / part.length))
  holdsCredential(text)
  const begun = process.cpuUsage()
  expect(holdsCredential(text)).toBe(false)
  const { user } = process.cpuUsage(begun)
  expect(user / 1_000).toBeLessThan(MOST_CPU_MS)
})

test.each([
  'https://ada:secret@example.com/',
  'see git+ssh://:token@host',
  'postgres://ada:p%40ss@db:5432/x',
  `${'a'.repeat(40)}.b+c-d://u:p@h`,
])('holdsCredential() sees the password in %s', (text) => {
  expect(holdsCredential(text)).toBe(true)
})

test.each(['https://example.com:8080/a@b', '://u:p@h', '1://u:p@h', 'a:// u:p@h', 'mailto:a@b.c'])(
  'holdsCredential() sees no password in %s',
  (text) => {
    expect(holdsCredential(text)).toBe(false)
  },
)
