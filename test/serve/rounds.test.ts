import { expect, test } from 'vitest'
import type { ElicitationForm } from '../../src/approval/elicitation.ts'
import { createRounds } from '../../src/serve/rounds.ts'

test('a client that comes back without an answer is asked again, and its answer counts', async () => {
  const rounds = createRounds()
  const call = rounds.open('t', { a: 1 })
  const form = { message: 'may it?' } as ElicitationForm
  const asked = call.ask(form, new AbortController().signal)
  expect(await call.next()).toEqual({ kind: 'question', form })
  call.answer(undefined)
  expect(await call.next()).toEqual({ kind: 'question', form })
  call.answer({ action: 'decline' })
  expect(await asked).toEqual({ action: 'decline' })
  expect(rounds.find(call.id, 't', { a: 2 })).toBeUndefined()
})
