import { expect, test } from 'vitest'
import { toFailed, toSuccess } from '../helpers/make-call.ts'
import { makePack } from './pack-rig.ts'

const pending = (content: string) => ({ content, status: 'pending' })
const running = (content: string) => ({ content, status: 'in_progress' })

test('TODO-01 a list that breaks a rule fails, and nothing of it is logged', async () => {
  const { call, events } = await makePack()
  const lists = [[running('a'), running('b')], [pending('  ')], [pending('a'), pending(' a ')]]
  for (const todos of lists)
    expect(toFailed(await call('todo_write', { todos })).error.code).toBe('TOOL_ERROR')
  const alone = await call('todo_write', { todos: [pending('a')] }, null)
  expect(toFailed(alone).error.code).toBe('TOOL_ERROR')
  expect(events('todo/write')).toEqual([])
})

test('TODO-02 an item with a further key is an invalid argument and is not logged', async () => {
  const { call, events } = await makePack()
  const todos = [{ ...pending('a'), priority: 1 }]
  expect(toFailed(await call('todo_write', { todos })).error.code).toBe('INVALID_ARGS')
  expect(events('todo/write')).toEqual([])
})

test('a list replaces the one before, trimmed, with its counts', async () => {
  const { call, events } = await makePack({ config: { todo: { allowParallelInProgress: true } } })
  const todos = [running(' a '), running('b'), { content: 'c', status: 'completed' }]
  const result = toSuccess(await call('todo_write', { todos }))
  expect(result.value).toMatchObject({ counts: { pending: 0, inProgress: 2, completed: 1 } })
  expect(events('todo/write').map(({ data }) => data['todos'])).toMatchObject([
    [{ content: 'a' }, { content: 'b' }, { content: 'c' }],
  ])
})
