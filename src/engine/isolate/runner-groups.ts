import { createCgroupSource } from '../../sandbox/cgroup-source.ts'
import type { Cgroup } from '../../sandbox/cgroup.ts'
import { checkBoot } from './boot-check.ts'
import { groupLimits, type RunnerLaunch } from './runner-launch.ts'

/** Groups of the kernel that hold one runner each, as long as they are seen to. */
export interface RunnerGroups {
  /** For a runner that is about to start; undefined where none is to be had and none is required. */
  open(launch: RunnerLaunch): Cgroup | undefined
  /** Why there are none; undefined while there are. */
  missing(): string | undefined
  /**
   * Resolves once limits of the kernel have been passed on this boot. What did not fire is not used any
   * more, and told of.
   */
  check(): Promise<void>
  /** Resolves once no process of a check is left. */
  close(): Promise<void>
}

/** Creates them; nothing is made or looked at before it is needed. */
export function createRunnerGroups(diagnose: (text: string) => void): RunnerGroups {
  const source = createCgroupSource()
  let lost: string | undefined
  let checked: Promise<void> | undefined
  const stop = new AbortController()
  const place = (): ReturnType<typeof source.get> => lost ?? source.get()
  const lose = (why: string): void => {
    if (lost !== undefined) return
    lost = why
    diagnose(`cgroups are not used for runners any more: ${why}`)
  }
  const look = async (): Promise<void> => {
    const found = place()
    const cgroups = typeof found === 'string' ? undefined : found
    const { data, group } = await checkBoot({ cgroups, signal: stop.signal })
    if (cgroups !== undefined && !group) lose('the memory limit of a group ends nobody here')
    if (data || group || process.platform !== 'linux') return
    diagnose('no limit of this kernel ends a runner for its memory; only the host watches it')
  }
  const make = (launch: RunnerLaunch): Cgroup | undefined => {
    const found = place()
    if (typeof found === 'string') return undefined
    try {
      return found.create(groupLimits(launch))
    } catch (error) {
      lose(`none can be made (${String(error)})`)
      return undefined
    }
  }
  return {
    open(launch) {
      const required = launch.kernelLimits === 'required'
      const group = make(launch)
      if (group === undefined) return required ? NO_GROUP : undefined
      const add = async (pid: number): Promise<void> => {
        try {
          await group.add(pid)
        } catch (error) {
          lose(`no process can be put into one (${String(error)})`)
          // What is asked for is refused where nobody keeps it; what is preferred is not.
          if (required) throw error
        }
      }
      return { ...group, add }
    },
    missing() {
      const found = place()
      return typeof found === 'string' ? found : undefined
    },
    check() {
      checked ??= look()
      checked.catch(() => undefined) // Whoever waits for it is told.
      return checked
    },
    async close() {
      stop.abort()
      await checked?.catch(() => undefined)
      source.close()
    },
  }
}

/** In the place of a group that is required: nothing can be put into it, so that nothing starts. */
const NO_GROUP: Cgroup = {
  add: () => Promise.reject(new Error('there is no group')),
  oomKills: () => 0,
  cpuMs: () => undefined,
  remove: async () => undefined,
}
