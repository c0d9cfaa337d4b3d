import { launchKey, type RunnerLaunch } from './runner-launch.ts'

/** The launches that spares are kept of: the one a pool began with, and those used last. */
export interface LaunchList {
  list(): readonly RunnerLaunch[]
  /** Puts a launch among them; answers with the keys of those that had to give way. */
  use(launch: RunnerLaunch): readonly string[]
  /** What tells it apart from others; found out once for each object. */
  keyOf(launch: RunnerLaunch): string
}

/** Besides the first one. Each of them keeps processes alive that nobody uses yet. */
const MAX_FURTHER = 3

/** Creates the list; `first` never gives way. */
export function createLaunchList(first: RunnerLaunch): LaunchList {
  const further = new Map<string, RunnerLaunch>()
  const keys = new WeakMap<RunnerLaunch, string>()
  const keyOf = (launch: RunnerLaunch): string => {
    let key = keys.get(launch)
    if (key === undefined) keys.set(launch, (key = launchKey(launch)))
    return key
  }
  const firstKey = keyOf(first)
  let latest = first
  return {
    keyOf,
    list: () => [first, ...further.values()],
    use(launch) {
      if (launch === latest) return []
      latest = launch
      const key = keyOf(launch)
      if (key === firstKey) return []
      further.delete(key)
      further.set(key, launch)
      const excess = [...further.keys()].slice(0, Math.max(0, further.size - MAX_FURTHER))
      for (const left of excess) further.delete(left)
      return excess
    },
  }
}
