import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Execution } from '../../src/index.ts'
import { openArena, valueOf } from './attack.ts'

const arena = openArena()

test('ATK-116 a forged, a settled and a foreign token are parents of nothing', async () => {
  const tokens = new Map<string, symbol>()
  const entered: string[] = []
  const offs = [
    arena.host.tools.guard((exec: Execution) => {
      entered.push(exec.callId)
      tokens.set(exec.callId, exec.token)
      return undefined
    }),
  ]
  const agents = arena.host.openSession()
  const [own, other] = [agents.agent('own'), agents.agent('other')]
  const body = 'await new Promise((resolve) => setTimeout(resolve, 300)); return 1'
  await arena.load({ tool: 'lasts', body })
  const call = (agent: typeof own, callId: string, parent?: symbol) =>
    agent.tools.execute({
      callId,
      name: 'lasts',
      arguments: {},
      signal: new AbortController().signal,
      ...(parent === undefined ? {} : { parent }),
    })
  await call(own, 'settled')
  const live = call(other, 'live')
  await expect.poll(() => tokens.has('live')).toBe(true)
  const forgeries: (symbol | undefined)[] = [
    Symbol('forged'),
    Symbol.for('live'),
    Symbol(String(tokens.get('live')?.description)),
    tokens.get('settled'),
    tokens.get('live'),
  ]
  for (const parent of forgeries) {
    const callId = randomUUID()
    await expect(call(own, callId, parent)).rejects.toMatchObject({
      code: 'PROTOCOL_ERROR',
      field: 'parent',
    })
    expect(entered).not.toContain(callId)
  }
  for (const parent of ['live', {}, 1, null]) {
    await expect(call(own, randomUUID(), parent as never)).rejects.toMatchObject({
      code: 'PROTOCOL_ERROR',
    })
  }
  expect(await live).toMatchObject({ isError: false })
  for (const off of offs) off()
  expect(valueOf(await arena.call({ tool: 'lasts' }))).toBe(1)
})
