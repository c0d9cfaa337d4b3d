import { expect, test } from 'vitest'
import { createSupervisor } from '../../src/mcp/supervisor.ts'

test('a start that hangs holds a caller no longer than its signal', async () => {
  const supervisor = createSupervisor({
    start: () => new Promise(() => undefined),
    started: async () => undefined,
    diagnose: () => undefined,
    graceMs: 10,
  })
  const stop = new AbortController()
  const waiting = supervisor.connection(stop.signal)
  setTimeout(() => stop.abort(), 20)
  await expect(waiting).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
})
