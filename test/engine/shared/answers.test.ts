import { expect, test } from 'vitest'
import { createAnswers } from '../../../src/engine/shared/answers.ts'
import { CaissonError } from '../../../src/errors/caisson-error.ts'
import type { CallServices } from '../../../src/types/engine.ts'
import type { BrokerAnswer } from '../../../workers/isolate/protocol.ts'

const request = (n: number): { k: 'request'; n: number; capability: string; payload: number } => ({
  k: 'request',
  n,
  capability: 'kv',
  payload: n,
})
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function makeServices(serve: CallServices['request']): CallServices {
  const nothing = (): void => undefined
  return {
    bodyStarted: nothing,
    deferContext: nothing,
    concludeTurn: nothing,
    log: nothing,
    logDropped: nothing,
    progress: nothing,
    lendSecrets: nothing,
    request: serve,
    tunnel: () => Promise.reject(new Error('nobody connects')),
  }
}

test('createAnswers() serves twelve requests at once, the others in order', async () => {
  const serving: number[] = []
  const finish: (() => void)[] = []
  const answered: number[] = []
  const answers = createAnswers(
    makeServices((_capability, payload) => {
      serving.push(payload as number)
      return new Promise((resolve) => finish.push(() => resolve(payload)))
    }),
    (n) => void answered.push(n),
  )
  for (let n = 1; n <= 30; n += 1) answers.hear(request(n), 10)
  expect(serving).toHaveLength(12)
  finish[3]?.()
  await turn()
  expect(answered).toEqual([4])
  expect(serving.at(-1)).toBe(13)
  for (let at = 0; at < 30; at += 1) {
    finish[at]?.()
    await turn()
  }
  expect(serving).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
  expect(answered.toSorted((a, b) => a - b)).toEqual(serving)
})

test('createAnswers() does not serve the next before an answer has left', async () => {
  let served = 0
  const sent: (() => void)[] = []
  const answers = createAnswers(
    makeServices(async () => (served += 1)),
    () => new Promise((resolve) => sent.push(() => resolve())),
  )
  for (let n = 1; n <= 20; n += 1) answers.hear(request(n), 10)
  await turn()
  expect(served).toBe(12)
  sent[0]?.()
  await turn()
  expect(served).toBe(13)
})

test('createAnswers() refuses what would pile up, by a refusal that is recognised', async () => {
  const said = new Map<number, BrokerAnswer>()
  const answers = createAnswers(
    makeServices(() => new Promise(() => undefined)),
    (n, answer) => void said.set(n, answer),
  )
  for (let n = 1; n <= 14; n += 1) answers.hear(request(n), 12 * 1024 * 1024)
  await turn()
  expect([...said.keys()]).toEqual([14])
  const refusal = said.get(14)
  expect(refusal).toMatchObject({ err: { code: 'OVERLOADED' } })
  const ref = refusal !== undefined && 'err' in refusal ? refusal.err.ref : ''
  expect(answers.refusals.get(ref)).toBeInstanceOf(CaissonError)
})

test('createAnswers() neither serves nor answers anything once it is closed', async () => {
  const said: number[] = []
  let served = 0
  const finish: (() => void)[] = []
  const answers = createAnswers(
    makeServices(() => {
      served += 1
      return new Promise((resolve) => finish.push(() => resolve(1)))
    }),
    (n) => void said.push(n),
  )
  for (let n = 1; n <= 20; n += 1) answers.hear(request(n), 10)
  answers.close()
  answers.hear(request(21), 10)
  for (const done of finish) done()
  await turn()
  expect([served, said]).toEqual([12, []])
})
