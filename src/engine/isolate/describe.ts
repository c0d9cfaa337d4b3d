import { describeFailed, parseDescription } from '../shared/parse-description.ts'
import { startWorkTimer } from '../shared/work-timer.ts'
import type { RunnerSeat } from './seat.ts'

// What calls may answer says nothing about how many tools a source may have.
const MAX_DESCRIPTION_BYTES = 8 * 1024 * 1024
const MAX_TEXT = 4_096

/** What a source says of itself; all of it hostile. */
export interface Description {
  readonly format: unknown
  readonly manifests: unknown
  /** Global names it has set while it loaded, as far as its state has to know. */
  readonly wrote: readonly string[]
}

/** Runs a source's top level and registration in a runner. Throws `LOAD_FAILED` with the author's text. */
export async function describeInRunner(seat: RunnerSeat, timeoutMs: number): Promise<Description> {
  const { runner } = seat
  const answer = Promise.withResolvers<unknown>()
  const fail = (text: string): void => answer.reject(describeFailed(text))
  const cancel = startWorkTimer({ ms: timeoutMs, cpuMs: () => runner.cpuMs?.() }, () =>
    fail(`it did not finish loading within ${timeoutMs} ms`),
  )
  runner.begin(
    {
      heard(message) {
        if (message.t === 'described') answer.resolve(message.body)
        else if (message.t === 'failed') fail(message.message.slice(0, MAX_TEXT))
        else runner.kill('protocol', 'a message that is no description')
      },
      died: ({ cause }) =>
        fail(
          cause === 'memory'
            ? 'it ran out of memory while loading'
            : `its sandbox ended while loading (${cause})`,
        ),
    },
    { frameBytes: MAX_DESCRIPTION_BYTES, cpuMs: undefined },
  )
  runner.send({ t: 'describe' })
  try {
    const body = await answer.promise
    const parsed = parseDescription(body)
    seat.giveBack()
    const wrote: unknown = Reflect.get(Object(body), 'wrote')
    return { ...parsed, wrote: Array.isArray(wrote) ? wrote.map(String) : [] }
  } catch (error) {
    await seat.discard()
    throw error
  } finally {
    cancel()
  }
}
