/** Tells when nothing a call has begun is still under way in this worker. */
export interface Rest {
  /** Lets the loop turn once; whether nothing is open then. */
  turned(): Promise<boolean>
  /** Gives what is being closed a moment; false when something stays, or a timer that would go off later. */
  reached(): Promise<boolean>
}

// A call must not be able to replace what tells whether it is over.
const immediate = setImmediate
const timeout = setTimeout
const info = process.getActiveResourcesInfo.bind(process)

/** What is being closed gets so many pauses, each twice as long as the one before: 31 ms in all. */
const PAUSES = 5
const TIMERS: ReadonlySet<string> = new Set(['Timeout', 'Immediate'])

/** Takes what is open now, after loading, as the state of rest. Sockets opened later must be unref'd. */
export async function createRest(): Promise<Rest> {
  await turn()
  const allowed = countResources()
  /** The kinds of what is open and was not; what has been closed since then stays closed. */
  const look = (): string[] => {
    const open = countResources()
    const left: string[] = []
    for (const [kind, count] of open) if (count > (allowed.get(kind) ?? 0)) left.push(kind)
    if (left.length > 0) return left
    for (const [kind, count] of allowed) allowed.set(kind, Math.min(count, open.get(kind) ?? 0))
    return left
  }
  return {
    async turned() {
      await turn()
      return look().length === 0
    },
    async reached() {
      for (let pauses = 0; ; pauses += 1) {
        const left = look()
        if (left.length === 0) return true
        // Files and sockets that are being closed take a moment; timers do not go away by waiting.
        if (pauses === PAUSES || left.some((kind) => TIMERS.has(kind))) return false
        await new Promise((resolve) => timeout(resolve, 2 ** pauses))
      }
    },
  }
}

// Rejections nobody handled are reported before the loop turns.
function turn(): Promise<unknown> {
  return new Promise((resolve) => immediate(resolve))
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of info()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
