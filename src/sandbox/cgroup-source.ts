import { openCgroups } from './cgroup-open.ts'
import type { Cgroups } from './cgroup.ts'

/** Where the groups of one host are made, looked for when somebody first needs it. */
export interface CgroupSource {
  /** The place; or in words why there is none. */
  get(): Cgroups | string
  close(): void
}

/** Creates the source; it looks at nothing before it is asked. */
export function createCgroupSource(): CgroupSource {
  let found: Cgroups | string | undefined
  return {
    get() {
      if (found !== undefined) return found
      const opened = openCgroups()
      return (found = 'create' in opened ? opened : opened.reason)
    },
    close() {
      if (typeof found === 'object') found.close()
    },
  }
}
