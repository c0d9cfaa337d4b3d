import { expect, test } from 'vitest'
import type { Execution, RunExecution } from '../../src/types/call.ts'
import { makeCall, makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { runBody } from '../helpers/run-body.ts'
import { until } from '../helpers/timing.ts'

test('deferred contexts arrive in order as frozen copies', async () => {
  const message = { text: 'first' }
  const result = toSuccess(
    await runBody((_args, exec) => {
      exec.deferContext(message)
      message.text = 'changed'
      exec.deferContext('second')
      return 1
    }),
  )
  expect(result.additionalContexts).toEqual([{ text: 'first' }, 'second'])
  expect(Object.isFrozen(result.additionalContexts?.[0])).toBe(true)
})

test('BODY-08 deferContext after the body has settled throws and delivers nothing', async () => {
  let problem: unknown
  const result = toSuccess(
    await runBody((_args, exec) => {
      setTimeout(() => {
        try {
          exec.deferContext('late')
        } catch (error) {
          problem = error
        }
      }, 5)
      return 1
    }),
  )
  await until(() => problem !== undefined)
  expect(problem).toMatchObject({ code: 'PROTOCOL_ERROR' })
  expect(result).not.toHaveProperty('additionalContexts')
})

test('BODY-09 deferContext with a Map throws there, and the result is otherwise unaffected', async () => {
  let problem: unknown
  const result = toSuccess(
    await runBody((_args, exec) => {
      exec.deferContext('kept')
      try {
        exec.deferContext({ bad: new Map() })
      } catch (error) {
        problem = error
      }
      return 1
    }),
  )
  expect(problem).toMatchObject({ code: 'JSON_NOT_LOSSLESS' })
  expect(result).toMatchObject({ value: 1, additionalContexts: ['kept'] })
})

test('BODY-11 a destructured concludeTurn marks a success', async () => {
  const result = await runBody((_args, { concludeTurn }) => {
    concludeTurn()
    return 1
  })
  expect(toSuccess(result).concludesTurn).toBe(true)
  expect(toSuccess(await runBody(() => 1))).not.toHaveProperty('concludesTurn')
})

test('BODY-11 a failure never carries concludesTurn', async () => {
  const result = await runBody((_args, { concludeTurn }) => {
    concludeTurn()
    throw new Error('after all')
  })
  expect(toFailed(result)).not.toHaveProperty('concludesTurn')
})

test('a body gets frozen identity and arguments', async () => {
  let seen: RunExecution | undefined
  const { host } = makeHost()
  host.tools.register(
    makeTool('t', {
      execute(args, exec) {
        seen = exec as unknown as RunExecution
        return args === exec.arguments && Object.isFrozen(args) && Object.isFrozen(exec)
      },
    }),
  )
  const call = makeCall('t', { a: [1] })
  expect(toSuccess(await host.tools.execute(call)).value).toBe(true)
  expect(seen).toMatchObject({ callId: call.callId, rootCallId: call.callId, name: 't' })
  expect(seen).not.toHaveProperty('agent')
})

test('progress is live, throttled, copied and not part of the result', async () => {
  const { host } = makeHost()
  const updates: unknown[] = []
  host.on('tools/progress', (exec: Execution, update: unknown) => {
    updates.push([exec.callId, update])
  })
  host.tools.register(
    makeTool('t', {
      execute(_args, exec) {
        for (let i = 0; i < 50; i += 1) exec.progress({ progress: i, total: 50, message: 'm' })
        exec.progress({ progress: 'bad' } as never)
        return 1
      },
    }),
  )
  toSuccess(await host.tools.execute(makeCall('t', {}, { callId: 'p' })))
  expect(updates.length).toBeLessThan(15)
  expect(updates.slice(0, 3)).toEqual(
    [0, 1, 2].map((progress) => ['p', { progress, total: 50, message: 'm' }]),
  )
})

test('a log entry that cannot be printed does not fail the body', async () => {
  const trap: unknown = new Proxy(
    {},
    {
      get() {
        throw new Error('trap')
      },
      ownKeys() {
        throw new Error('trap')
      },
    },
  )
  toSuccess(
    await runBody((_args, exec) => {
      exec.log('info', trap, {
        get x() {
          throw new Error('getter')
        },
      })
      return 1
    }),
  )
})
