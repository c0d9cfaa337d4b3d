import { describe, expect, test } from 'vitest'
import { createBreaker } from '../../../../src/policies/auto-approval/decide/breaker.ts'
import { makeAssessed } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene } from '../../../helpers/approval-scene.ts'
import { toFailed, toSuccess } from '../../../helpers/make-call.ts'
import { SCRIPTED_MODEL } from '../../../helpers/scripted-models.ts'

const EASY = { a: makeAssessed(['GIT_CHANGE']), b: makeAssessed(['GIT_CHANGE']) }
const LIMITS = { maxConsecutive: 3, maxTotal: 20 }
const classifier = SCRIPTED_MODEL
const reviewer = SCRIPTED_MODEL
const DENY = { decision: 'deny', reason: 'no' }

describe('the breaker', () => {
  test('BRK-01 a denial of either model counts in both counters, and either trips', async () => {
    const breaker = createBreaker()
    for (let time = 0; time < 19; time++) {
      expect(breaker.isTripped({ maxConsecutive: 0, maxTotal: 20 })).toBe(false)
      breaker.denied('x')
    }
    breaker.denied('x')
    expect(breaker.isTripped({ maxConsecutive: 0, maxTotal: 20 })).toBe(true)
    expect(breaker.isTripped(LIMITS)).toBe(true)
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { reviewer },
      reviewer: () => ({ decision: 'DENY' }),
    })
    for (let time = 1; time <= 3; time++) {
      toFailed(await scene.call('a', { time }))
      expect(scene.host.approval.breaker(scene.session)).toEqual({ consecutive: time, total: time })
    }
    scene.person()
    await scene.start('a')
    expect(scene.models.count('reviewer')).toBe(3)
  })

  test('BRK-02 timers, rules, guards, failures, allows and programs leave it alone', async () => {
    let says: object = DENY
    let reviews: object = { decision: 'ALLOW', risk: 'LOW' }
    const scene = makeApprovalScene({
      reads: { ...EASY, edit: makeAssessed(['OUTSIDE_WRITE']) },
      settings: { classifier, reviewer, denyList: ['bash'] },
      classifier: () => says,
      reviewer: () => reviews,
    })
    const counters = (): object => scene.host.approval.breaker(scene.session)
    toFailed(await scene.call('a'))
    const before = counters()
    says = { kind: 'failed', why: 'timeout', ms: 1 }
    toSuccess(await scene.call('a'))
    toFailed(await scene.call('bash'))
    reviews = { kind: 'failed', why: 'timeout', ms: 1 }
    const program = scene.person('program')
    const answered = await scene.start('edit', { by: 'program' })
    program.reject()
    toFailed(await answered.result)
    const timed = await scene.start('edit', { by: 'timer' })
    await scene.clock.advance(60_000)
    toFailed(await timed.result)
    expect(scene.sources()).toEqual([
      'classifier-deny',
      'review-allow',
      'denylist-deny',
      'program-deny',
      'timeout-deny',
    ])
    expect(counters()).toEqual(before)
  })

  test('BRK-03 a person who refuses sets it to zero', async () => {
    let says: object = DENY
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { classifier },
      classifier: () => says,
    })
    toFailed(await scene.call('a'))
    says = { decision: 'ask', reason: 'unclear' }
    const person = scene.person()
    const { result } = await scene.start('b')
    person.reject()
    toFailed(await result)
    expect(scene.host.approval.breaker(scene.session)).toEqual({ consecutive: 0, total: 0 })
  })

  test('BRK-04 agents below one another share the counters of their root session', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { classifier },
      classifier: () => DENY,
    })
    const below = scene.session.agent('below', { parent: scene.agent })
    const elsewhere = scene.host.openSession().agent('far', { parent: below })
    toFailed(await scene.call('a', { n: 1 }, below))
    toFailed(await scene.call('a', { n: 2 }, elsewhere))
    expect(scene.host.approval.breaker(scene.session)).toEqual({ consecutive: 2, total: 2 })
    toFailed(await scene.call('a', { n: 3 }, scene.session.agent('new', { parent: scene.agent })))
    scene.person()
    await scene.start('a', { n: 4 }, below)
    expect(scene.models.count('classifier')).toBe(3)
    expect(scene.decisions().every(({ root }) => root === scene.session.id)).toBe(true)
  })

  test('BRK-05 tripped and unattended: refused at once, and no model is asked', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { classifier, reviewer, defaultReviewMode: 'unattended' },
      classifier: () => DENY,
    })
    for (let time = 0; time < 3; time++) toFailed(await scene.call('a', { time }))
    toFailed(await scene.call('b'))
    expect(scene.models.asked).toHaveLength(3)
    expect(scene.sources().at(-1)).toBe('unattended-deny')
  })

  test('BRK-06 both limits at 0 never trip; a session that is over takes its counters along', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { classifier, breaker: { maxConsecutive: 0, maxTotal: 0 } },
      classifier: () => DENY,
    })
    for (let time = 0; time < 25; time++) toFailed(await scene.call('a', { time }))
    expect(scene.models.asked).toHaveLength(25)
    await scene.session.close()
    expect(scene.host.approval.breaker(scene.session)).toEqual({ consecutive: 0, total: 0 })
  })

  test('an operator may reset it', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { classifier },
      classifier: () => DENY,
    })
    toFailed(await scene.call('a'))
    scene.host.approval.resetBreaker(scene.session)
    expect(scene.host.approval.breaker(scene.session)).toEqual({ consecutive: 0, total: 0 })
    await scene.call('b')
    expect(scene.observations()).toMatchObject([{ kind: 'breaker-reset', root: scene.session.id }])
  })
})

describe('the loop guard', () => {
  test('BRK-07 the third equal call in a row is asked about, and the timer refuses it', async () => {
    const scene = makeApprovalScene({
      settings: { loopThreshold: 3, timeoutAction: 'allow-medium' },
    })
    const person = scene.person()
    toSuccess(await scene.call('a', { x: 1 }))
    toSuccess(await scene.call('a', { x: 1 }))
    const { result } = await scene.start('a', { x: 1 })
    expect(person.questions[0]).toMatchObject({ onTimeout: 'reject' })
    expect(person.questions[0]?.reasons[0]?.code).toBe('LOOP_GUARD')
    await scene.clock.advance(60_000)
    expect(toFailed(await result).error['reasons']).toContain('LOOP_DENY')
    expect(scene.observations()).toMatchObject([{ kind: 'loop-guard', tool: 'a' }])
    toSuccess(await scene.call('a', { x: 1 }))
  })

  test('BRK-07 a different call ends the row', async () => {
    const scene = makeApprovalScene({ settings: { loopThreshold: 3 } })
    for (const name of ['a', 'a', 'b', 'a', 'a']) toSuccess(await scene.call(name))
  })

  test('BRK-07 tools that are polled are exempt', async () => {
    const scene = makeApprovalScene({
      reads: { a: makeAssessed(['INTERNAL'], { pollable: true }) },
      settings: { loopThreshold: 2 },
    })
    for (let time = 0; time < 5; time++) toSuccess(await scene.call('a'))
  })

  test('BRK-07 an ask that a reviewer could settle is counted before it is asked', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { reviewer, loopThreshold: 2 },
      reviewer: () => ({ decision: 'ALLOW', risk: 'LOW' }),
    })
    const person = scene.person()
    toSuccess(await scene.call('a'))
    const { result } = await scene.start('a')
    expect(person.questions).toHaveLength(1)
    expect(scene.models.asked).toHaveLength(1)
    person.allow()
    toSuccess(await result)
  })
})
