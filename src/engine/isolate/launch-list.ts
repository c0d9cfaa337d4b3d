import { launchKey, type RunnerLaunch } from './runner-launch.ts'

/** The launches that spares are kept of: the one a pool began with, and those used last. */
export interface LaunchList {
  list(): readonly RunnerLaunch[]
  /** Puts a launch among them; answers with the keys of those that had to give way. */
  use(launch: RunnerLaunch): readonly string[]
}

/** Besides the first one. Each of them keeps processes alive that nobody uses yet. */
const MAX_FURTHER = 3

/** Creates the list; `first` never gives way. */
export function createLaunchList(first: RunnerLaunch): LaunchList {
  const further = new Map<string, RunnerLaunch>()
  const firstKey = launchKey(first)
  return {
    list: () => [first, ...further.values()],
    use(launch) {
      const key = launchKey(launch)
      if (key === firstKey) return []
      further.delete(key)
      further.set(key, launch)
      const excess = [...further.keys()].slice(0, Math.max(0, further.size - MAX_FURTHER))
      for (const left of excess) further.delete(left)
      return excess
    },
  }
}
