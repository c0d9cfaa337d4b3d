import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  makeHostFolders,
  readGroupField,
  readGroupFile,
  removeGroups,
  removeGroupsNow,
  tryWriteGroupFile,
  writeGroupFile,
} from './cgroup-files.ts'
import { CPU_PERIOD_US, cpuQuotaUs, type Cgroups, type NoCgroups } from './cgroup.ts'

const NEEDED = ['memory', 'pids', 'cpu'] as const
const NS_PER_MS = 1e6

/** Groups in hierarchies of version 1, one per controller; `places` are this process's own folders. */
export function openCgroupsV1(
  places: ReadonlyMap<string, string>,
  id: string,
): Cgroups | NoCgroups {
  const missing = NEEDED.find((name) => !places.has(name))
  if (missing !== undefined) return { reason: `the cgroup controller ${missing} is not mounted` }
  const names = [...NEEDED, 'cpuacct'].filter((name) => places.has(name))
  const made = makeHostFolders([...new Set(names.map((name) => placeOf(places, name)))], id)
  if (typeof made === 'string') return { reason: made }
  const folderOf = (name: string): string =>
    made.find((folder) => folder.startsWith(`${placeOf(places, name)}/`)) ?? ''
  let count = 0
  return {
    version: 1,
    create({ memoryBytes, pids, cpu = true }) {
      const group = `${(count += 1)}`
      const at = (name: string): string => join(folderOf(name), group)
      // Two controllers may share one hierarchy, and with it the folder.
      const own = made.map((folder) => join(folder, group))
      for (const folder of own) mkdirSync(folder)
      writeGroupFile(at('memory'), 'memory.limit_in_bytes', memoryBytes)
      tryWriteGroupFile(at('memory'), 'memory.memsw.limit_in_bytes', memoryBytes)
      tryWriteGroupFile(at('memory'), 'memory.swappiness', 0)
      writeGroupFile(at('pids'), 'pids.max', pids)
      if (cpu) {
        writeGroupFile(at('cpu'), 'cpu.cfs_period_us', CPU_PERIOD_US)
        writeGroupFile(at('cpu'), 'cpu.cfs_quota_us', cpuQuotaUs())
      }
      return {
        async add(pid) {
          await Promise.all(own.map((folder) => writeFile(join(folder, 'cgroup.procs'), `${pid}`)))
        },
        oomKills: () => readGroupField(at('memory'), 'memory.oom_control', 'oom_kill') ?? 0,
        cpuMs() {
          const text = places.has('cpuacct') ? readGroupFile(at('cpuacct'), 'cpuacct.usage') : ''
          return text === '' ? undefined : Number(text) / NS_PER_MS
        },
        remove: () => removeGroups(own),
      }
    },
    close: () => removeGroupsNow(made),
  }
}

function placeOf(places: ReadonlyMap<string, string>, name: string): string {
  return places.get(name) ?? ''
}
