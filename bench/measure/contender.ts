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

/** Contenders that are open; disposal closes all, whatever becomes of one of them. */
export interface Contenders extends AsyncDisposable {
  readonly list: readonly Contender[]
}

/** Opens all that can run here, in order. */
export async function openAll(
  openers: readonly OpenContender[],
  body: BodyName,
): Promise<Contenders> {
  const list: Contender[] = []
  const close = async (): Promise<void> => {
    await Promise.allSettled(list.map((contender) => contender.close()))
  }
  try {
    for (const open of openers) {
      const contender = await open(body)
      if (contender !== undefined) list.push(contender)
    }
  } catch (error) {
    await close()
    throw error
  }
  return { list, [Symbol.asyncDispose]: close }
}
