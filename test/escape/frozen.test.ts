import { describe, vi } from 'vitest'

// The rows of the catalogue whose outcome depends on what calls share, once more. An attack that changes
// the realm is refused there, statement by statement, and goes on with the others (`tryEach`). What it
// must not reach stays the same but for three things that `isFrozen` marks: code made from text sees the
// shared global, which nobody can change; nobody can ask for call sites; promises cannot be replaced.
//
// Left out for their time are the rows whose walls lie outside of the realm and are those of every
// state: brokers, deadlines, memory bombs, floods, killed runners, broken loads. All of them, in this state:
// CAISSON_ATTACKED_STATE=frozen npx vitest run test/escape
vi.stubEnv('CAISSON_ATTACKED_STATE', 'frozen')

describe.each([
  'abort',
  'accessor-result',
  'broker-shapes',
  'code-generation',
  'constructor-walk',
  'deep-nesting',
  'env-read',
  'forged-error-code',
  'hostile-throws',
  'late-collector',
  'late-timers',
  'module-top-level',
  'no-grants',
  'not-lossless',
  'patched-intrinsics',
  'planted-prototype',
  'prototype-pollution',
  'renderers',
  'stack-trace-reach',
  'state-leak',
  'terminal-escapes',
  'thenables',
  'to-json',
  'wasm-absent',
])('frozen calls, %s', async (name) => {
  await import(`./${name}.test.ts`)
})
