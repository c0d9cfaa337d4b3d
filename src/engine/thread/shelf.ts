import type { ThreadWorker } from './thread-worker.ts'

/** Workers nobody holds, each with the source it has loaded; some are still coming to rest. */
export interface Shelf {
  put(worker: ThreadWorker, key: string): void
  /**
   * The worker at rest that was put last, of those that hold `key`; with `soon` also one that was put
   * a moment ago and will be at rest by the time it hears of a call, if it does not decline it.
   */
  take(key: string, soon?: boolean): ThreadWorker | undefined
  /** Workers of `key` that may be at rest in a moment. */
  pending(key: string): ThreadWorker[]
  /** The worker that has been here longest. */
  takeOldest(): ThreadWorker | undefined
  /** False when it was not here. */
  remove(worker: ThreadWorker): boolean
  removeAll(key: string): ThreadWorker[]
}

interface Entry {
  readonly worker: ThreadWorker
  readonly key: string
  readonly since: number
}

/** How long a worker may take to come to rest once its call has settled, in milliseconds. */
export const REST_MS = 200

/** So long after its call a worker that leaves nothing behind is at rest, in milliseconds. */
const SOON_MS = 1

/** Creates an empty shelf. Whoever does not come to rest, or is found unfit, is handed to `retire`. */
export function createShelf(retire: (worker: ThreadWorker) => void): Shelf {
  let entries: Entry[] = []
  let timer: NodeJS.Timeout | undefined

  const removeIf = (leaves: (entry: Entry) => boolean): ThreadWorker[] => {
    const [stay, leave] = [entries.filter((entry) => !leaves(entry)), entries.filter(leaves)]
    if (leave.length > 0) entries = stay
    return leave.map(({ worker }) => worker)
  }
  const retireUnfit = (): void => {
    const now = performance.now()
    for (const worker of removeIf((entry) => isUnfit(entry, now))) retire(worker)
  }
  const sweep = (): void => {
    timer = undefined
    retireUnfit()
    if (entries.some(({ worker }) => worker.fitness === 'pending')) arm()
  }
  const arm = (): void => {
    timer ??= setTimeout(sweep, REST_MS).unref()
  }
  return {
    put(worker, key) {
      entries.push({ worker, key, since: performance.now() })
      arm()
    },
    take(key, soon = false) {
      const put = soon ? performance.now() - SOON_MS : Infinity
      const at = entries.findLastIndex(
        ({ key: held, worker, since }) =>
          held === key &&
          (worker.fitness === 'fit' ||
            (since >= put && worker.fitness === 'pending' && !worker.restless)),
      )
      if (at < 0) return undefined
      return entries.splice(at, 1)[0]?.worker
    },
    pending(key) {
      retireUnfit()
      const workers = entries.filter((entry) => entry.key === key).map(({ worker }) => worker)
      return workers.filter(({ fitness }) => fitness === 'pending')
    },
    takeOldest: () => entries.shift()?.worker,
    remove: (worker) => removeIf((entry) => entry.worker === worker).length > 0,
    removeAll: (key) => removeIf((entry) => entry.key === key),
  }
}

function isUnfit({ worker, since }: Entry, now: number): boolean {
  return worker.fitness === 'unfit' || (worker.fitness === 'pending' && now - since >= REST_MS)
}
