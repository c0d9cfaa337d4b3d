import { describe, vi } from 'vitest'

// The rows of the catalogue whose outcome could depend on what calls share, once more.
vi.stubEnv('CAISSON_ATTACKED_STATE', 'frozen')

describe.each([
  'abort',
  'accessor-result',
  'code-generation',
  'env-read',
  'late-collector',
  'late-timers',
  'module-top-level',
  'planted-prototype',
  'prototype-pollution',
  'renderers',
  'stack-trace-reach',
  'state-leak',
  'thenables',
  'to-json',
  'hostile-throws',
  'forged-error-code',
])('frozen calls, %s', async (name) => {
  await import(`./${name}.test.ts`)
})
