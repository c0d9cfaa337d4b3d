import { beforeAll, expect, test } from 'vitest'
import type { ApprovalRequest, PreListener } from '../../src/index.ts'
import { openArena, valueOf } from './attack.ts'

const arena = openArena()
const BODY = "console.log('entered'); return { ran: args }"
beforeAll(() => arena.load({ body: BODY }))

/** Asks about the tool under attack and lets every other pass. */
const ask: PreListener = (exec, next) =>
  exec.name === 'attack' ? { kind: 'ask', reason: 'it wants to' } : next()

test('ATK-111 what is approved is what runs, whatever its caller makes of it meanwhile', async () => {
  const args = { path: '/tmp/a', list: [1] }
  const shown: unknown[] = []
  const offs = [
    arena.host.on('tools/pre-execute', ask),
    arena.host.on('approval/request', async (request: ApprovalRequest) => {
      shown.push(structuredClone(request.arguments))
      args.path = '/etc/passwd'
      args.list.push(2)
      Object.assign(args, { extra: true })
      await new Promise((resolve) => setTimeout(resolve, 20))
      shown.push(structuredClone(request.arguments))
      return 'allowed-once'
    }),
  ]
  const logged: unknown[] = []
  offs.push(arena.host.on('tool/call', ({ data }) => void logged.push(data.arguments)))
  const attacked = await arena.call({ args })
  for (const off of offs) off()
  const approved = { path: '/tmp/a', list: [1] }
  expect(shown).toEqual([approved, approved])
  expect(valueOf(attacked)).toEqual({ ran: approved })
  expect(logged[0]).toEqual(approved)
})

test('ATK-111 a grant that comes after the caller has left is worth nothing', async () => {
  const controller = new AbortController()
  const late = Promise.withResolvers<'allowed-once'>()
  const offs = [
    arena.host.on('tools/pre-execute', ask),
    arena.host.on('approval/request', () => {
      controller.abort(new Error('the caller left'))
      return late.promise
    }),
  ]
  const { result, logs } = await arena.call({ signal: controller.signal })
  late.resolve('allowed-once')
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (const off of offs) off()
  expect(result).toMatchObject({ error: { code: 'ABORTED_BEFORE_DISPATCH' }, attempts: [] })
  expect(logs).toEqual([])
})

test('ATK-117 a guard that denies spares the question', async () => {
  let questions = 0
  const offs = [
    arena.host.on('tools/pre-execute', ask),
    arena.host.on('approval/request', () => ((questions += 1), 'allowed-once')),
    arena.host.tools.guard((exec) => (exec.name === 'attack' ? 'not this one' : undefined)),
  ]
  const { result, logs } = await arena.call({})
  for (const off of offs) off()
  expect(result).toMatchObject({
    error: { code: 'DENIED', by: 'guard', message: 'not this one' },
    attempts: [],
  })
  expect([questions, logs]).toEqual([0, []])
})
