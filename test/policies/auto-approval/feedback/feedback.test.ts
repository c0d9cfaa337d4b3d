import { expect, test } from 'vitest'
import {
  createFeedback,
  type Mark,
} from '../../../../src/policies/auto-approval/feedback/feedback.ts'
import { makeFakeClock } from '../../../helpers/fake-clock.ts'

const mark = (source: Mark['source']): Mark => ({
  source,
  tool: 't',
  category: 'edit',
  seconds: 30,
})
const textOf = (decision: unknown): string => JSON.stringify(decision ?? 'none')

test('approval POST-01 of two marks the decision speaks, once', () => {
  const feedback = createFeedback(makeFakeClock())
  const token = Symbol('call')
  feedback.mark(token, mark('rule-deny'))
  feedback.mark(token, mark('timeout-deny'))
  const decision = feedback.settle(token, true)
  expect(textOf(decision)).toContain('a declared rule')
  expect(textOf(decision)).not.toContain('timed out')
  expect(feedback.settle(token, true)).toBeUndefined()
})

test('approval POST-02 a success drops both marks', () => {
  const feedback = createFeedback(makeFakeClock())
  const token = Symbol('call')
  feedback.mark(token, mark('timeout-deny'))
  expect(feedback.settle(token, false)).toBeUndefined()
  expect(feedback.settle(token, true)).toBeUndefined()
})

test('approval POST-03 a mark is gone after 60 s, and when 256 came after it', async () => {
  const clock = makeFakeClock()
  const feedback = createFeedback(clock)
  const first = Symbol('first')
  feedback.mark(first, mark('rule-deny'))
  await clock.advance(60_001)
  expect(feedback.settle(first, true)).toBeUndefined()
  const oldest = Symbol('oldest')
  feedback.mark(oldest, mark('rule-deny'))
  const others = Array.from({ length: 256 }, (_, index) => Symbol(index))
  for (const token of others) feedback.mark(token, mark('rule-deny'))
  expect(feedback.settle(oldest, true)).toBeUndefined()
  expect(feedback.settle(others[0] ?? oldest, true)).toBeDefined()
})
