import { createRequire } from 'node:module'
import { note } from '../measure/print-table.ts'

const require = createRequire(new URL('../package.json', import.meta.url))

/** The exports of a peer of `bench/package.json`; undefined, after a note on stderr, when it is not installed. */
export function loadPeer(name: string): unknown {
  try {
    return require(name) as unknown
  } catch (error) {
    const { code } = Object(error) as { readonly code?: string }
    const why = code === 'MODULE_NOT_FOUND' ? 'is not installed (npm run bench:setup)' : 'fails'
    note(`${name} ${why}: skipped`)
    return undefined
  }
}
