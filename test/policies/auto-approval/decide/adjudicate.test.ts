import { describe, expect, test } from 'vitest'
import type { Ask } from '../../../../src/approval/service.ts'
import { createAdjudicator } from '../../../../src/policies/auto-approval/decide/adjudicate.ts'
import { compileSettings } from '../../../../src/policies/auto-approval/decide/in-force.ts'
import type { Parts } from '../../../../src/policies/auto-approval/decide/parts.ts'
import { makeAssessed } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene } from '../../../helpers/approval-scene.ts'
import { toFailed, toSuccess } from '../../../helpers/make-call.ts'
import { SCRIPTED_MODEL } from '../../../helpers/scripted-models.ts'

const EASY = { a: makeAssessed(['GIT_CHANGE']) }
const HARD = { a: makeAssessed(['OUTSIDE_WRITE']) }
const LOCKED = { a: makeAssessed(['DELETE']) }
const classifier = SCRIPTED_MODEL
const reviewer = SCRIPTED_MODEL

describe('who is asked', () => {
  test.each([
    ['identity none', { session: { policy: 'none' as const } }, {}],
    ['enabled: false', {}, { enabled: false }],
  ])('ADJ-01 with %s the answerers decide and no model is asked', async (_why, extra, settings) => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { ...settings, classifier, reviewer },
      ...extra,
    })
    scene.host.on('tools/pre-execute', () => ({ kind: 'ask' }))
    const person = scene.person()
    const { result } = await scene.start('a')
    person.allow()
    toSuccess(await result)
    expect(scene.models.asked).toEqual([])
    expect(person.questions[0]?.seconds).toBeUndefined()
  })

  test('ADJ-02 a fatal reason that reaches the adjudicator is refused before rules and questions', async () => {
    const notes: string[] = []
    const inForce = compileSettings({ rules: [{ tools: ['a'], decide: 'allow' }] })
    const call = {
      exec: { name: 'a', arguments: {}, token: Symbol('call') },
      place: { governed: true, cwd: '/ws' },
      root: { mode: undefined },
      assessed: makeAssessed(['CRITICAL_PATH']),
      notes: [],
    }
    // Nothing else of the parts is there: asking, timing or recording more would throw.
    const parts = {
      inForce: () => inForce,
      executions: { of: () => call },
      recorder: { note: (_call: unknown, { source }: { source: string }) => notes.push(source) },
      host: { setCodes: () => undefined },
      feedback: { mark: () => undefined },
    } as unknown as Parts
    const ask = { id: 'x', call: { exec: call.exec } } as unknown as Ask
    expect(await createAdjudicator(parts).adjudicate(ask)).toBe('rejected')
    expect(notes).toEqual(['policy-deny'])
  })

  test('ADJ-12 in manual mode no model is called and every ask is a question', async () => {
    const scene = makeApprovalScene({
      reads: { ...EASY, b: makeAssessed(['ROUTINE_READ']) },
      settings: { classifier, reviewer, defaultReviewMode: 'manual' },
    })
    const person = scene.person()
    const { result } = await scene.start('a')
    expect(person.questions[0]).toMatchObject({ seconds: 300, onTimeout: 'reject' })
    person.allow()
    toSuccess(await result)
    toSuccess(await scene.call('b'))
    expect(scene.models.asked).toEqual([])
    expect(scene.sources()).toEqual(['human-allow', 'static-allow'])
  })

  test('ADJ-18 a hit of humanOnlyList waits for a person as long as untimed asks do', async () => {
    const scene = makeApprovalScene({
      settings: { humanOnlyList: ['a'], timeoutAction: 'allow-medium' },
    })
    const person = scene.person()
    const { result } = await scene.start('a')
    expect(person.questions[0]?.seconds).toBe(300)
    await scene.clock.advance(300_000)
    expect(toFailed(await result).error).toMatchObject({ code: 'DENIED', by: 'approval' })
    expect(scene.sources()).toEqual(['timeout-deny'])
  })

  test('ADJ-19 without an answerer it is no timeout', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    expect(toFailed(await scene.call('a')).error.code).toBe('APPROVAL_UNAVAILABLE')
    expect(scene.sources()).toEqual(['unavailable'])
  })

  test('ADJ-21 a prepended listener cannot allow a locked ask', async () => {
    const scene = makeApprovalScene({ reads: LOCKED })
    scene.host.on('approval/request', () => 'allowed-once', { prepend: true })
    expect(toFailed(await scene.call('a')).error.code).toBe('APPROVAL_UNAVAILABLE')
    expect(scene.ran).toEqual([])
  })
})

describe('tiers', () => {
  test.each([
    ['allow-low' as const, 'timeout-allow'],
    ['reject' as const, 'timeout-deny'],
  ])('ADJ-13 LOW that nobody answers, timeoutAction %s: %s', async (timeoutAction, source) => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { categories: { gitLocal: 'auto' }, timeoutAction },
    })
    scene.person()
    const { result } = await scene.start('a')
    await scene.clock.advance(15_000)
    expect((await result).isError).toBe(source === 'timeout-deny')
    expect(scene.sources()).toEqual([source])
  })

  test.each([
    ['allow', { decision: 'ALLOW', risk: 'LOW' }, 'review-allow'],
    ['deny', { decision: 'DENY' }, 'review-deny'],
  ])('ADJ-14 MEDIUM, the reviewer says %s: it settles', async (_name, said, source) => {
    const scene = makeApprovalScene({ reads: EASY, settings: { reviewer }, reviewer: () => said })
    const person = scene.person()
    const result = await scene.call('a')
    expect(result.isError).toBe(source === 'review-deny')
    expect(scene.sources()).toEqual([source])
    expect(person.questions).toEqual([])
  })

  test.each([
    ['escalates', { decision: 'ESCALATE' }],
    ['allows at high risk', { decision: 'ALLOW', risk: 'HIGH' }],
    ['fails', { kind: 'failed', why: 'malformed', ms: 1 }],
  ])('ADJ-14 MEDIUM, the reviewer %s: the question stays open', async (_name, said) => {
    const scene = makeApprovalScene({ reads: EASY, settings: { reviewer }, reviewer: () => said })
    const person = scene.person()
    const { result } = await scene.start('a')
    await scene.clock.advance(1_500)
    expect(person.questions).toHaveLength(1)
    expect(person.questions[0]?.suggestion).toMatch(/reviewer/)
    person.allow()
    toSuccess(await result)
    expect(scene.sources()).toEqual(['human-allow'])
  })

  test('ADJ-15 a reviewer that decides LOW only advises on MEDIUM', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { reviewer: { ...reviewer, decides: 'LOW' } },
      reviewer: () => ({ decision: 'ALLOW', risk: 'LOW', reason: 'fine' }),
    })
    const person = scene.person()
    const { result } = await scene.start('a')
    expect(person.questions).toHaveLength(1)
    expect(person.advice.join()).toContain('ALLOW')
    person.reject()
    toFailed(await result)
    expect(scene.sources()).toEqual(['human-deny'])
  })

  test('ADJ-16 HIGH that nobody answers is refused whatever timer and reviewer say', async () => {
    const scene = makeApprovalScene({
      reads: HARD,
      settings: { reviewer, timeoutAction: 'allow-medium' },
      reviewer: () => ({ decision: 'ALLOW', risk: 'LOW' }),
    })
    scene.person()
    const { result } = await scene.start('a')
    await scene.clock.advance(60_000)
    toFailed(await result)
    expect(scene.sources()).toEqual(['timeout-deny'])
  })
})

describe('unattended', () => {
  test('ADJ-17 MEDIUM passes on a clear ALLOW of the reviewer', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { reviewer, defaultReviewMode: 'unattended' },
      reviewer: () => ({ decision: 'ALLOW', risk: 'LOW' }),
    })
    toSuccess(await scene.call('a'))
    expect(scene.sources()).toEqual(['review-allow'])
  })

  test.each([
    ['the reviewer fails', { reviewer }, EASY, 1],
    ['no reviewer is there', {}, EASY, 0],
    ['the ask is HIGH', { reviewer }, HARD, 0],
    ['the ask is locked', { reviewer }, LOCKED, 0],
  ])('ADJ-17 it is refused at once when %s', async (_why, settings, reads, asked) => {
    const scene = makeApprovalScene({
      reads,
      settings: { ...settings, defaultReviewMode: 'unattended', timeoutAction: 'allow-medium' },
      reviewer: () => ({ kind: 'failed', why: 'malformed', ms: 1 }),
    })
    const person = scene.person()
    const { error } = toFailed(await scene.call('a'))
    expect(error).toMatchObject({ code: 'DENIED', by: 'approval' })
    expect(error.message.includes('reviewing model was not available')).toBe(asked === 1)
    expect(scene.sources()).toEqual(['unattended-deny'])
    expect(person.questions).toEqual([])
    expect(scene.models.count('reviewer')).toBe(asked)
    expect(scene.clock.waiting).toBe(0)
  })
})

describe('learned allows', () => {
  const learning = { enabled: true, threshold: 3, days: 30 }

  test('ADJ-20 the fourth call of a shape needs one clean ALLOW, and a reject clears it', async () => {
    let says: object = { decision: 'ESCALATE' }
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { learning, reviewer: { ...reviewer, decides: 'none' } },
      reviewer: () => says,
    })
    const person = scene.person()
    for (let time = 0; time < 3; time++) {
      const { result } = await scene.start('a', { path: `x${time}` })
      person.allow()
      toSuccess(await result)
    }
    const fourth = await scene.start('a', { path: 'y' })
    expect(person.questions).toHaveLength(4)
    person.allow()
    toSuccess(await fourth.result)
    says = { decision: 'ALLOW', risk: 'LOW' }
    toSuccess(await scene.call('a', { path: 'z' }))
    expect(person.questions).toHaveLength(4)
    says = { decision: 'ESCALATE' }
    const sixth = await scene.start('a', { path: 'z2' })
    person.reject()
    toFailed(await sixth.result)
    says = { decision: 'ALLOW', risk: 'LOW' }
    await scene.start('a', { path: 'z3' })
    expect(person.questions).toHaveLength(6)
    expect(scene.sources().slice(0, 6)).toEqual([
      'human-allow',
      'human-allow',
      'human-allow',
      'human-allow',
      'learned-allow',
      'human-deny',
    ])
    expect(scene.observations().map(({ kind }) => kind)).toEqual(['learning-reset'])
  })

  test('ADJ-20 a locked reason is never learned', async () => {
    const scene = makeApprovalScene({
      reads: LOCKED,
      settings: { learning, reviewer },
      reviewer: () => ({ decision: 'ALLOW', risk: 'LOW' }),
    })
    const person = scene.person()
    for (let time = 0; time < 5; time++) {
      const { result } = await scene.start('a')
      expect(person.questions).toHaveLength(time + 1)
      person.allow()
      toSuccess(await result)
    }
    expect(scene.models.asked).toEqual([])
  })
})
