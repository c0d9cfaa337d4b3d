import { describe, expect, test } from 'vitest'
import {
  createNoticeQueue,
  type NoticeQueue,
} from '../../../../src/policies/auto-approval/notices/notices.ts'
import type { JsonValue } from '../../../../src/types/json.ts'
import { makeAssessed } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene } from '../../../helpers/approval-scene.ts'
import { makeFakeClock, settleTurns } from '../../../helpers/fake-clock.ts'
import { makeTool, toFailed, toSuccess } from '../../../helpers/make-call.ts'
import { recordLines } from '../../../helpers/recording.ts'
import { SCRIPTED_MODEL } from '../../../helpers/scripted-models.ts'

const EASY = { a: makeAssessed(['GIT_CHANGE']) }
const MODEL = { classifier: SCRIPTED_MODEL }
const allow = (): object => ({ decision: 'allow', reason: 'fine' })
const block = (id: string, name = 'a'): { callId: string; name: string; arguments: object } => ({
  callId: id,
  name,
  arguments: { id },
})
const textsOf = (notices: readonly JsonValue[]): string[] =>
  notices.map((notice) => (notice as { content: { text: string }[] }).content[0]?.text ?? '')

describe('delivery', () => {
  test('NOTE-01 two notices of one execution arrive, in order', async () => {
    const scene = makeApprovalScene({ reads: EASY, settings: MODEL, classifier: allow })
    const { notices } = await scene.agent.step([block('1')])
    expect(textsOf(notices)).toEqual([
      expect.stringContaining('are checked before they run'),
      expect.stringContaining('A model approved'),
    ])
  })

  test('NOTE-02 nothing is injected before the step is over', async () => {
    const scene = makeApprovalScene({
      reads: { ...EASY, slow: makeAssessed(['GIT_CHANGE']) },
      settings: MODEL,
      classifier: allow,
    })
    const gate = Promise.withResolvers<void>()
    scene.host.tools.register(
      makeTool('slow', {
        execute: () => gate.promise.then(() => 1),
        isConcurrencySafe: () => true,
      }),
    )
    const lines = recordLines(scene.host, ['tool/result', 'context/message', 'step/end'])
    const step = scene.agent.step([block('1'), block('2', 'slow')])
    await settleTurns()
    expect(lines.map(({ type }) => type)).toEqual(['tool/result'])
    gate.resolve()
    await step
    expect(lines.map(({ type }) => type)).toEqual([
      'tool/result',
      'tool/result',
      'step/end',
      'context/message',
      'context/message',
      'context/message',
    ])
  })

  test('NOTE-03 in every conversation each message with calls is followed by exactly its results', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { ...MODEL, denyList: ['b'], loopThreshold: 0 },
      classifier: allow,
    })
    const lines = recordLines(scene.host, [
      'step/start',
      'tool/result',
      'context/message',
      'step/end',
    ])
    let seed = 3
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let step = 0; step < 500; step++) {
      const calls = Array.from({ length: 1 + random(3) }, (_, at) =>
        block(`${step}-${at}`, ['a', 'b', 'edit'][random(3)]),
      )
      const before = lines.length
      await scene.agent.step(calls)
      const types = lines.slice(before).map(({ type }) => type)
      const inside = types.slice(0, calls.length + 2)
      expect(inside).toEqual(['step/start', ...calls.map(() => 'tool/result'), 'step/end'])
    }
  }, 60_000)

  test('NOTE-05 an agent that takes no notices changes nothing', async () => {
    const clock = makeFakeClock()
    const diagnostics: string[] = []
    const ends: (() => void)[] = []
    const queue = makeQueue({ clock, diagnostics, ends, inject: () => never() })
    const token = Symbol('call')
    queue.add('root', { id: 'main' }, token, 'model-approved')
    queue.seen('root', token)
    expect(() => ends[0]?.()).not.toThrow()
    expect(diagnostics).toEqual(['approval notice was not delivered: model-approved'])
    const scene = makeApprovalScene({ reads: EASY, settings: MODEL, classifier: allow })
    toSuccess(await scene.call('a'))
    await scene.agent.dispose()
  })
})

describe('the queue', () => {
  test('NOTE-04 an execution without a result leaves a diagnostic and no notice', () => {
    const diagnostics: string[] = []
    const ends: (() => void)[] = []
    const injected: string[] = []
    const queue = makeQueue({ diagnostics, ends, inject: (text) => injected.push(text) })
    queue.add('root', { id: 'main' }, Symbol('call'), 'reject-guidance')
    ends[0]?.()
    expect(injected).toEqual([])
    expect(diagnostics).toEqual(['approval notice without a result: reject-guidance'])
  })

  test('NOTE-06 a sixth guidance within a minute is dropped; onboarding comes once', async () => {
    const clock = makeFakeClock()
    const ends: (() => void)[] = []
    const injected: string[] = []
    const queue = makeQueue({ clock, ends, inject: (text) => injected.push(text) })
    const agent = { id: 'main' }
    for (let time = 0; time < 6; time++) {
      const token = Symbol(time)
      queue.add('root', agent, token, 'reject-guidance')
      queue.add('root', agent, token, 'reject-guidance')
      queue.seen('root', token)
    }
    ends[0]?.()
    expect(injected).toHaveLength(5)
    await clock.advance(60_001)
    const later = Symbol('later')
    queue.add('root', agent, later, 'reject-guidance')
    queue.seen('root', later)
    ends[0]?.()
    expect(injected).toHaveLength(6)
    const scene = makeApprovalScene()
    const first = await scene.agent.step([block('1')])
    const second = await scene.agent.step([block('2')])
    expect([first.notices.length, second.notices.length]).toEqual([1, 0])
  })

  test('NOTE-07 what a tool says makes no notice, and a session that is over leaves none', async () => {
    const injected: string[] = []
    const ends: (() => void)[] = []
    const queue = makeQueue({ ends, inject: (text) => injected.push(text) })
    const token = Symbol('call')
    queue.add('root', { id: 'main' }, token, 'model-approved')
    queue.seen('root', token)
    queue.drop('root')
    ends[0]?.()
    expect(injected).toEqual([])
    const scene = makeApprovalScene({ settings: { onboarding: false } })
    scene.host.tools.register(
      makeTool('t', {
        execute: () => 'A tool call of this step was refused by a rule or a person.',
      }),
    )
    const { notices } = await scene.agent.step([block('1', 't')])
    expect(notices).toEqual([])
  })

  test('switches keep kinds away', async () => {
    const scene = makeApprovalScene({ settings: { denyList: ['a'], rejectGuidance: false } })
    const { notices } = await scene.agent.step([block('1')])
    expect(textsOf(notices)).toHaveLength(1)
    toFailed(await scene.call('a'))
  })
})

function never(): never {
  throw new Error('gone')
}

function makeQueue(given: {
  clock?: ReturnType<typeof makeFakeClock>
  diagnostics?: string[]
  ends?: (() => void)[]
  inject: (text: string) => unknown
}): NoticeQueue {
  return createNoticeQueue({
    clock: given.clock ?? makeFakeClock(),
    switches: () => ({ notices: true, onboarding: true, rejectGuidance: true }),
    inject: (_agent, text) => void given.inject(text),
    onStepEnd: (_agent, fn) => void given.ends?.push(fn),
    diagnose: (text) => void given.diagnostics?.push(text),
  })
}
