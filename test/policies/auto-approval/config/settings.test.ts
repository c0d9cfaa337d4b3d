import { describe, expect, test } from 'vitest'
import { resolveApprovalSettings } from '../../../../src/policies/auto-approval/config/resolve.ts'
import { checkTrustedDirs } from '../../../../src/policies/auto-approval/config/trusted-dirs.ts'
import { makeAssessed } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene } from '../../../helpers/approval-scene.ts'
import { makeHost } from '../../../helpers/make-host.ts'
import { toFailed, toSuccess } from '../../../helpers/make-call.ts'

describe('settings', () => {
  test('everything has a default, and they are those of the documentation', () => {
    expect(resolveApprovalSettings({})).toMatchObject({
      enabled: true,
      positionMode: 'workspace',
      timeoutAction: 'reject',
      lowSeconds: 15,
      mediumSeconds: 30,
      highSeconds: 60,
      humanDeadlineSeconds: 300,
      promptDelayMs: 1_500,
      defaultReviewMode: 'smart',
      loopThreshold: 10,
      breaker: { maxConsecutive: 3, maxTotal: 20 },
      learning: { enabled: false, threshold: 3, days: 30 },
      redactResults: 'shapes',
      audit: { maxBytes: 5_242_880, keep: 5, sync: 'data' },
      answerers: { terminal: true, mcp: { enabled: true, locked: false } },
    })
    expect(resolveApprovalSettings({ classifier: undefined }).classifier).toBeUndefined()
  })

  test.each([
    [
      { timeoutAktion: 'reject' },
      "approval.timeoutAktion: unknown key; did you mean 'timeoutAction'?",
    ],
    [
      { breaker: { maxTotals: 3 } },
      "approval.breaker.maxTotals: unknown key; did you mean 'maxTotal'?",
    ],
    [{ lowSeconds: 0 }, 'approval.lowSeconds'],
    [{ loopThreshold: 51 }, 'approval.loopThreshold'],
    [{ trustedDirs: ['relative'] }, 'approval.trustedDirs.0'],
    [{ audit: { maxBytes: 1 } }, 'approval.audit.maxBytes'],
  ])('%o is refused with the path of the key', (settings, text) => {
    expect(() => resolveApprovalSettings(settings)).toThrow(text)
    expect(() => makeHost({ approval: settings as never })).toThrow(text)
  })

  test.each([
    '/',
    '/home/u',
    '/home',
    '/etc/app',
    '/usr/src',
    '/home/u/.ssh/x',
    '/home/u/.caisson',
    '/home/u/.config',
  ])('a trusted folder must not be %s', (dir) => {
    const place = { home: '/home/u', stateDir: '/home/u/.caisson' }
    expect(() => checkTrustedDirs([dir], place)).toThrow(/approval\.trustedDirs\.0/)
    expect(() => checkTrustedDirs(['/data/shared', '/home/u/work'], place)).not.toThrow()
  })

  test('approval is off until it is named, and false is off', () => {
    expect(makeHost().host.approval.installed).toBe(false)
    expect(makeHost({ approval: false }).host.approval.installed).toBe(false)
    expect(() => makeHost().host.approval.history()).toThrow(/approval is off/)
  })

  test('explicit settings win key by key over those of the configuration', () => {
    const scene = makeApprovalScene({
      settings: { lowSeconds: 7 },
      host: { config: { approval: { lowSeconds: 9, highSeconds: 90 } } },
    })
    expect(scene.host.approval.settings).toMatchObject({ lowSeconds: 7, highSeconds: 90 })
  })
})

describe('a host without the pack', () => {
  test('asks whoever was added, without a timer', async () => {
    const { host } = makeHost()
    host.tools.register({
      name: 'a',
      description: 'a',
      parameters: { type: 'object' },
      output: { schema: {}, render: () => [] },
      execute: () => 1,
    })
    host.on('tools/pre-execute', () => ({ kind: 'ask', reason: 'why not' }))
    const agent = host.openSession().agent('main')
    host.approval.acceptAnswers('human')
    const running = agent.tools.execute({
      callId: 'c',
      name: 'a',
      arguments: {},
      signal: new AbortController().signal,
    })
    await expect.poll(() => host.approval.pending().length).toBe(1)
    const [question] = host.approval.pending()
    expect(question).toMatchObject({ tool: 'a', reason: 'why not', seconds: undefined })
    expect(host.approval.answer(question?.askId ?? '', { decision: 'allow' })).toBe('accepted')
    toSuccess(await running)
  })
})

describe('review modes', () => {
  test('an operator sets them per session; the model is told once', async () => {
    const scene = makeApprovalScene({ reads: { a: makeAssessed(['GIT_CHANGE']) } })
    const { approval } = scene.host
    approval.setMode(scene.session, 'unattended')
    expect(approval.mode(scene.session)).toBe('unattended')
    const { notices, results } = await scene.agent.step([{ callId: '1', name: 'a', arguments: {} }])
    expect(toFailed(results[0] as never).error.by).toBe('approval')
    expect(JSON.stringify(notices)).toContain('The operator changed how')
    const again = await scene.agent.step([{ callId: '2', name: 'b', arguments: {} }])
    expect(again.notices).toEqual([])
    expect(scene.observations()).toMatchObject([{ kind: 'mode-changed', mode: 'unattended' }])
    expect(() => approval.setMode(scene.session, 'lazy' as never)).toThrow(/smart/)
  })
})
