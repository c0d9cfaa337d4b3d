import type { BodyName } from '../fixtures/bodies.ts'

/** Something that answers calls and is measured while it does. */
export interface Contender {
  readonly name: string
  /** Makes one call with a JSON value and resolves to the answer; rejects for a failure. */
  call(value: unknown): Promise<unknown>
  close(): Promise<void>
}

/** Makes a contender ready for one of the bodies; undefined, after a note on stderr, where it cannot run. */
export type OpenContender = (body: BodyName) => Promise<Contender | undefined>

/** Opens all that can run here, in order. */
export async function openAll(
  openers: readonly OpenContender[],
  body: BodyName,
): Promise<Contender[]> {
  const opened: Contender[] = []
  for (const open of openers) {
    const contender = await open(body)
    if (contender !== undefined) opened.push(contender)
  }
  return opened
}

/** Closes all, whatever becomes of one of them. */
export async function closeAll(contenders: readonly Contender[]): Promise<void> {
  await Promise.allSettled(contenders.map((contender) => contender.close()))
}
