import { describe, expect, test } from 'vitest'
import { makeAssessed } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene } from '../../../helpers/approval-scene.ts'
import { settleTurns } from '../../../helpers/fake-clock.ts'
import { toFailed, toSuccess } from '../../../helpers/make-call.ts'
import { SCRIPTED_MODEL } from '../../../helpers/scripted-models.ts'

const EASY = { a: makeAssessed(['GIT_CHANGE']) }

describe('one question', () => {
  test('RACE-01 the timer first: refused, said once, and a late answer learns that it is too late', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const release = scene.host.approval.acceptAnswers()
    const { result } = await scene.start('a')
    const [open] = scene.host.approval.pending()
    await scene.clock.advance(30_000)
    const failed = toFailed(await result)
    expect(failed.content).toHaveLength(1)
    expect(failed.error.message).toContain('timed out after 30 seconds')
    expect(scene.sources()).toEqual(['timeout-deny'])
    const { approval } = scene.host
    const askId = open?.askId ?? ''
    expect(approval.answer(askId, { decision: 'allow' })).toBe('already-decided')
    await scene.clock.advance(30_001)
    expect(approval.answer(askId, { decision: 'allow' })).toBe('unknown')
    release()
  })

  test('RACE-06 a call that is aborted while it is asked about ends as aborted, and decides nothing', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const person = scene.person()
    const running = await scene.start('a')
    running.abort()
    expect(toFailed(await running.result).error.code).toBe('ABORTED_BEFORE_DISPATCH')
    await settleTurns()
    expect(person.taken).toHaveLength(1)
    expect(scene.sources()).toEqual(['cancelled'])
    expect(scene.host.approval.breaker(scene.session)).toEqual({ consecutive: 0, total: 0 })
    expect(scene.clock.waiting).toBe(0)
  })

  test('RACE-07 a session that ends takes its questions with it', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const person = scene.person()
    const { result } = await scene.start('a')
    await scene.session.close()
    expect(toFailed(await result).error.code).toBe('AGENT_DISPOSED')
    await settleTurns()
    expect(person.taken).toHaveLength(1)
    expect(scene.sources()).toEqual(['cancelled'])
    expect(scene.clock.waiting).toBe(0)
  })

  test('RACE-10 an opinion that only advises does not change who decided', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: { reviewer: { ...SCRIPTED_MODEL, decides: 'none' } },
      reviewer: () => ({ decision: 'DENY', risk: 'HIGH', reason: 'looks bad' }),
    })
    const person = scene.person()
    const { result } = await scene.start('a')
    expect(person.advice[0]).toContain('DENY, risk HIGH: looks bad')
    person.allow()
    toSuccess(await result)
    expect(scene.decisions()).toMatchObject([
      { source: 'human-allow', llm: { role: 'reviewer', decision: 'DENY' } },
    ])
  })

  test('a person may allow one exact call for the rest of the session', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const person = scene.person()
    const first = await scene.start('a', { path: 'x', mode: 1 })
    person.answer({ decision: 'allow', scope: 'session' })
    toSuccess(await first.result)
    toSuccess(await scene.call('a', { mode: 1, path: 'x' }))
    expect(person.questions).toHaveLength(1)
    await scene.start('a', { path: 'y', mode: 1 })
    expect(person.questions).toHaveLength(2)
    expect(scene.sources()).toEqual(['human-allow', 'human-allow'])
  })

  test('neither a program nor a locked ask gets a lasting scope', async () => {
    const scene = makeApprovalScene({ reads: { ...EASY, b: makeAssessed(['DELETE']) } })
    const program = scene.person('program')
    const first = await scene.start('a')
    program.answer({ decision: 'allow', scope: 'session' })
    toSuccess(await first.result)
    await scene.start('a')
    expect(program.questions).toHaveLength(2)
    const person = scene.person('human')
    const locked = await scene.start('b')
    expect(person.questions[0]?.sessionScope).toBe(false)
    person.answer({ decision: 'allow', scope: 'session' })
    toSuccess(await locked.result)
    await scene.start('b')
    expect(person.questions).toHaveLength(2)
  })

  test('a program may refuse a locked ask, and its allow is no answer', async () => {
    const scene = makeApprovalScene({ reads: { a: makeAssessed(['DELETE']) } })
    const program = scene.person('program')
    const first = await scene.start('a')
    program.reject()
    expect(toFailed(await first.result).error.by).toBe('approval')
    const second = await scene.start('a')
    program.allow()
    expect(toFailed(await second.result).error.code).toBe('APPROVAL_UNAVAILABLE')
    expect(scene.sources()).toEqual(['program-deny', 'unavailable'])
  })

  test('what is shown is masked, cut and free of escape sequences', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const person = scene.person()
    await scene.start('a', {
      path: 'a\u001b[2Jb\u202e',
      token: 'abcdefghijkl',
      content: 'x'.repeat(5_000),
      url: 'https://h/?k=ghp_abcdefghijkl',
      deep: { a: { b: { c: 1 } } },
    })
    const shown = JSON.parse(person.questions[0]?.arguments ?? '') as Record<string, unknown>
    expect(shown).toEqual({
      path: 'a\\x1b[2Jb\\u202e',
      token: '[redacted]',
      content: '[5000 characters]',
      url: 'https://h/?k=[redacted]',
      deep: { a: { b: '[deeper levels left out]' } },
    })
    expect(person.questions[0]?.shortened).toBe(true)
  })
})

describe('the end of a host', () => {
  test('a host that closes while somebody is asked ends the call, and leaves no timer', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const person = scene.person()
    const { result } = await scene.start('a')
    await scene.host.close()
    expect(toFailed(await result).error.code).toBe('HOST_CLOSED')
    expect(person.taken).toHaveLength(1)
    expect(scene.sources()).toEqual(['cancelled'])
    expect(scene.clock.waiting).toBe(0)
  })

  test('a page that is switched on is announced, and closed with the host', async () => {
    const scene = makeApprovalScene({ settings: { answerers: { console: { enabled: true } } } })
    await expect.poll(() => scene.diagnostics.length).toBe(1)
    const url = /http:\S+/.exec(scene.diagnostics[0] ?? '')?.[0] ?? ''
    expect((await fetch(url)).status).toBe(200)
    await scene.host.close()
    await expect(fetch(url)).rejects.toThrow()
  })

  test('arguments of any size are asked about in no time, and shown short', async () => {
    const scene = makeApprovalScene({ reads: EASY })
    const person = scene.person()
    await scene.start('a', { note: 'token=abcdef '.repeat(400_000) })
    expect(person.questions[0]?.arguments.length).toBeLessThan(4_001)
    expect(person.questions[0]?.shortened).toBe(true)
  })
})
