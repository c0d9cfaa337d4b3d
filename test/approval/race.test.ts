import { describe, expect, test } from 'vitest'
import { race, type Opinion, type RaceAsk } from '../../src/approval/race.ts'
import type {
  Answerer,
  ApprovalAnswer,
  ApprovalQuestion,
  RaceEnd,
} from '../../src/approval/types.ts'
import { makeFakeClock, settleTurns, type FakeClock } from '../helpers/fake-clock.ts'

const QUESTION: ApprovalQuestion = {
  askId: 'ask',
  session: 's',
  agent: 'main',
  tool: 'a',
  callId: 'c',
  risk: 'MEDIUM',
  locked: false,
  category: 'edit',
  reasons: [],
  reason: undefined,
  arguments: '{}',
  shortened: false,
  seconds: 30,
  onTimeout: 'reject',
  sessionScope: true,
  recentDenials: [],
  suggestion: undefined,
}

interface Scene {
  readonly clock: FakeClock
  readonly call: AbortController
  readonly ends: RaceEnd[]
  readonly late: string[]
  readonly failed: string[]
  readonly shown: string[]
  readonly taken: string[]
  answer(id: string, answer: ApprovalAnswer | undefined): void
  fail(id: string): void
  review(opinion: Opinion | undefined): void
  readonly reviewStopped: () => boolean
}

function startRace(
  ids: readonly string[],
  extra: Partial<RaceAsk> & { reviewed?: boolean } = {},
): Scene {
  const clock = makeFakeClock()
  const call = new AbortController()
  const turns = new Map<string, PromiseWithResolvers<ApprovalAnswer | undefined>>()
  const opinion = Promise.withResolvers<Opinion | undefined>()
  const shown: string[] = []
  const taken: string[] = []
  let reviewSignal: AbortSignal | undefined
  const answerers = ids.map((id): Answerer => ({
    id,
    kind: 'human',
    available: () => true,
    ask(_question, signal) {
      shown.push(id)
      signal.addEventListener('abort', () => taken.push(id))
      const turn = Promise.withResolvers<ApprovalAnswer | undefined>()
      turns.set(id, turn)
      return turn.promise
    },
  }))
  const { reviewed = false, ...rest } = extra
  const ends: RaceEnd[] = []
  const late: string[] = []
  const failed: string[] = []
  void race(
    {
      question: QUESTION,
      answerers,
      bystanders: [],
      signal: call.signal,
      quietMs: 0,
      ...(reviewed
        ? {
            review: (signal: AbortSignal) => {
              reviewSignal = signal
              return opinion.promise
            },
          }
        : {}),
      ...rest,
    },
    { clock, answererFailed: (id) => void failed.push(id), late: (what) => void late.push(what) },
  ).then((end) => ends.push(end))
  return {
    clock,
    call,
    ends,
    late,
    failed,
    shown,
    taken,
    answer: (id, answer) => turns.get(id)?.resolve(answer),
    fail: (id) => turns.get(id)?.reject(new Error('gone')),
    review: opinion.resolve,
    reviewStopped: () => reviewSignal?.aborted === true,
  }
}

const ALLOW: ApprovalAnswer = { decision: 'allow' }
const REJECT: ApprovalAnswer = { decision: 'reject' }

describe('the first input settles', () => {
  test('RACE-02 an answer cancels the timer and the review, and a later claim changes nothing', async () => {
    const scene = startRace(['one'], { reviewed: true })
    scene.answer('one', ALLOW)
    await settleTurns()
    expect(scene.ends).toMatchObject([{ kind: 'answer', answer: { decision: 'allow' } }])
    expect(scene.clock.waiting).toBe(0)
    expect(scene.reviewStopped()).toBe(true)
    scene.review({ kind: 'claim', decision: 'reject' })
    await scene.clock.advance(60_000)
    expect(scene.ends).toHaveLength(1)
    expect(scene.late).toEqual(['claim'])
  })

  test('RACE-03 a claim takes the question down at everybody who was asked', async () => {
    const scene = startRace(['one', 'two'], { reviewed: true })
    scene.review({ kind: 'claim', decision: 'allow' })
    await settleTurns()
    expect(scene.ends).toEqual([{ kind: 'claim', decision: 'allow' }])
    expect(scene.taken).toEqual(['one', 'two'])
    scene.answer('one', REJECT)
    await settleTurns()
    expect(scene.ends).toHaveLength(1)
  })

  test('RACE-04 an answer after the deadline loses although the timer has not fired yet', async () => {
    const scene = startRace(['one'])
    scene.clock.block(30_001)
    scene.answer('one', ALLOW)
    await settleTurns()
    expect(scene.ends).toEqual([{ kind: 'timeout' }])
  })

  test('RACE-05 of two answers in one turn the first counts', async () => {
    const scene = startRace(['one', 'two'])
    scene.answer('one', REJECT)
    scene.answer('two', ALLOW)
    await settleTurns()
    expect(scene.ends).toMatchObject([{ kind: 'answer', answer: { decision: 'reject' } }])
    expect(scene.late).toEqual(['answer of two'])
  })

  test('RACE-08 a claim while it is quiet means that nobody was ever asked', async () => {
    const scene = startRace(['one'], { reviewed: true, quietMs: 1_500 })
    await scene.clock.advance(1_000)
    scene.review({ kind: 'claim', decision: 'allow' })
    await settleTurns()
    expect(scene.shown).toEqual([])
    expect(scene.ends).toEqual([{ kind: 'claim', decision: 'allow' }])
  })

  test('RACE-08 without a claim the whole countdown begins when the question is shown', async () => {
    const scene = startRace(['one'], { reviewed: true, quietMs: 1_500 })
    await scene.clock.advance(1_500)
    expect(scene.shown).toEqual(['one'])
    await scene.clock.advance(29_999)
    expect(scene.ends).toEqual([])
    await scene.clock.advance(1)
    expect(scene.ends).toEqual([{ kind: 'timeout' }])
  })

  test('RACE-09 one who breaks is out, and when the last is out nobody is left', async () => {
    const scene = startRace(['one', 'two'])
    scene.fail('one')
    await settleTurns()
    expect(scene.ends).toEqual([])
    scene.fail('two')
    await settleTurns()
    expect(scene.ends).toEqual([{ kind: 'unavailable' }])
    expect(scene.failed).toEqual(['one', 'two'])
    const other = startRace(['one', 'two'])
    other.fail('one')
    await settleTurns()
    other.answer('two', ALLOW)
    await settleTurns()
    expect(other.ends).toMatchObject([{ kind: 'answer', by: { id: 'two' } }])
  })

  test('RACE-14 in any order exactly one input settles, and nothing is left behind', async () => {
    let seed = 7
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    for (let round = 0; round < 1_000; round++) {
      const scene = startRace(['one', 'two'], { reviewed: random(2) === 0, quietMs: random(2) })
      const inputs: (() => unknown)[] = [
        () => scene.answer('one', random(2) === 0 ? ALLOW : REJECT),
        () => scene.answer('two', undefined),
        () => scene.fail('one'),
        () => scene.review(random(2) === 0 ? { kind: 'claim', decision: 'allow' } : undefined),
        () => scene.call.abort(),
        () => scene.clock.block(random(40_000)),
      ]
      while (inputs.length > 0) {
        inputs.splice(random(inputs.length), 1)[0]?.()
        if (random(3) === 0) await new Promise((done) => setImmediate(done))
      }
      scene.clock.block(60_000)
      await scene.clock.advance(0)
      expect(scene.ends).toHaveLength(1)
      expect(scene.clock.waiting).toBe(0)
    }
  }, 60_000)
})
