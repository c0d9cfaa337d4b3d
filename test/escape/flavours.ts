import { describe } from 'vitest'
import type { HostOptions } from '../../src/host/spec.ts'

/** What concerns V8 itself is attacked with its compilers and without them. */
export function describeFlavours(
  suite: (options: HostOptions, flavour: { readonly jit: boolean }) => void,
): void {
  describe('with the JIT', () => suite({}, { jit: true }))
  if (process.env['CAISSON_ATTACKED_STATE'] !== undefined) return
  const interpreted = { name: 'interpreted', engine: 'isolate', jit: false }
  const options = { profiles: [interpreted], defaults: { profile: 'interpreted' } }
  describe('without the JIT', () => suite(options, { jit: false }))
}
