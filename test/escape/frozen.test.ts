import { describe, vi } from 'vitest'

// The rows of the catalogue whose outcome could depend on what calls share, once more. Those that change
// what is shared, or look for the real global object, are refused there: engine/isolate/state-leaks.test.ts.
vi.stubEnv('CAISSON_ATTACKED_STATE', 'frozen')

describe.each([
  'abort',
  'accessor-result',
  'env-read',
  'late-collector',
  'late-timers',
  'module-top-level',
  'renderers',
  'thenables',
  'hostile-throws',
  'forged-error-code',
])('frozen calls, %s', async (name) => {
  await import(`./${name}.test.ts`)
})
