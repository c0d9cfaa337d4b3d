import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  makeHostFolders,
  readGroupField,
  readGroupFile,
  removeGroups,
  removeGroupsNow,
  tryWriteGroupFile,
  writeGroupFile,
} from './cgroup-files.ts'
import type { CgroupPlaces } from './cgroup-mounts.ts'
import { CPU_PERIOD_US, cpuQuotaUs, type Cgroups, type NoCgroups } from './cgroup.ts'

const NEEDED = ['memory', 'pids', 'cpu'] as const
const ON = NEEDED.map((name) => `+${name}`).join(' ')
const US_PER_MS = 1_000
const NO_LIMITS = 'the cgroup of this process hands on no limits'

/** Groups in the one hierarchy of version 2. */
export function openCgroupsV2(
  { folder, top }: NonNullable<CgroupPlaces['v2']>,
  id: string,
): Cgroups | NoCgroups {
  // A group that holds processes has no groups with limits below it, but its parent can.
  const places = folder === top ? [folder] : [folder, dirname(folder)]
  const found = places.map((place) => openAt(place, id))
  return found.find((one) => 'create' in one) ?? found[0] ?? { reason: NO_LIMITS }
}

function openAt(place: string, id: string): Cgroups | NoCgroups {
  if (!handsOn(place)) return { reason: NO_LIMITS }
  const made = makeHostFolders([place], id)
  if (typeof made === 'string') return { reason: made }
  const [folder = ''] = made
  if (!handsOn(folder)) {
    removeGroupsNow(made)
    return { reason: NO_LIMITS }
  }
  let count = 0
  return {
    version: 2,
    create({ memoryBytes, pids, cpu = true }) {
      const at = join(folder, `${(count += 1)}`)
      mkdirSync(at)
      writeGroupFile(at, 'memory.max', memoryBytes)
      tryWriteGroupFile(at, 'memory.swap.max', 0)
      tryWriteGroupFile(at, 'memory.oom.group', 1)
      writeGroupFile(at, 'pids.max', pids)
      if (cpu) writeGroupFile(at, 'cpu.max', `${cpuQuotaUs()} ${CPU_PERIOD_US}`)
      return {
        add: (pid) => writeFile(join(at, 'cgroup.procs'), `${pid}`),
        oomKills: () => readGroupField(at, 'memory.events', 'oom_kill') ?? 0,
        cpuMs() {
          const spent = readGroupField(at, 'cpu.stat', 'usage_usec')
          return spent === undefined ? undefined : spent / US_PER_MS
        },
        remove: () => removeGroups([at]),
      }
    },
    close: () => removeGroupsNow(made),
  }
}

/** Whether groups below this one have limits; switches them on where that is possible. */
function handsOn(folder: string): boolean {
  const given = readGroupFile(folder, 'cgroup.subtree_control').split(/\s+/)
  if (NEEDED.every((name) => given.includes(name))) return true
  return tryWriteGroupFile(folder, 'cgroup.subtree_control', ON)
}
