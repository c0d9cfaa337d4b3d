import { expect, test } from 'vitest'
import { createElicitationAnswerer, type ElicitationForm } from '../../src/approval/elicitation.ts'
import { makeAssessed } from '../helpers/assessed-call.ts'
import { makeApprovalScene } from '../helpers/approval-scene.ts'
import { settleTurns } from '../helpers/fake-clock.ts'
import { toFailed } from '../helpers/make-call.ts'

const READS = { a: makeAssessed(['GIT_CHANGE']), b: makeAssessed(['DELETE']) }

function makeClient(
  reply: () => Promise<unknown>,
  locked = false,
): {
  scene: ReturnType<typeof makeApprovalScene>
  forms: ElicitationForm[]
  signals: AbortSignal[]
} {
  const scene = makeApprovalScene({ reads: READS })
  const forms: ElicitationForm[] = []
  const signals: AbortSignal[] = []
  scene.host.approval.addAnswerer(
    createElicitationAnswerer({
      id: 'client',
      locked,
      isAvailable: () => true,
      elicit(form, signal) {
        forms.push(form)
        signals.push(signal)
        return reply()
      },
    }),
  )
  return { scene, forms, signals }
}

test.each([
  ['accept and allow', { action: 'accept', content: { decision: 'allow' } }, 'human-allow'],
  ['accept and reject', { action: 'accept', content: { decision: 'reject' } }, 'human-deny'],
  ['decline', { action: 'decline' }, 'human-deny'],
  ['cancel', { action: 'cancel' }, 'unavailable'],
  ['content that does not fit', { action: 'accept', content: { decision: 'yes' } }, 'unavailable'],
  ['no content', { action: 'accept' }, 'unavailable'],
])('RACE-11 %s', async (_what, reply, source) => {
  const { scene, forms } = makeClient(() => Promise.resolve(reply))
  await scene.call('a', { password: 'hunter2hunter2' })
  expect(scene.sources()).toEqual([source])
  expect(Object.keys(forms[0]?.requestedSchema.properties ?? {})).toEqual(['decision', 'note'])
  expect(JSON.stringify(forms)).not.toContain('hunter2')
})

test('RACE-11 a request that fails withdraws', async () => {
  const { scene } = makeClient(() => Promise.reject(new Error('gone')))
  expect(toFailed(await scene.call('a')).error.code).toBe('APPROVAL_UNAVAILABLE')
})

test('RACE-11 locked asks are offered only where the operator says so', async () => {
  const allow = (): Promise<unknown> =>
    Promise.resolve({ action: 'accept', content: { decision: 'allow' } })
  const shut = makeClient(allow)
  await shut.scene.call('b')
  expect([shut.forms.length, shut.scene.sources()]).toEqual([0, ['unavailable']])
  const open = makeClient(allow, true)
  await open.scene.call('b')
  expect(open.scene.sources()).toEqual(['human-allow'])
})

test('RACE-11 a request is cancelled when the ask ends elsewhere', async () => {
  const { scene, signals } = makeClient(() => new Promise(() => undefined))
  const { result } = await scene.start('a')
  await scene.clock.advance(30_000)
  toFailed(await result)
  await settleTurns()
  expect(signals[0]?.aborted).toBe(true)
})
