import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToolHost, type ToolHost } from '../../../src/index.ts'
import { makeCall, toSuccess } from '../../helpers/make-call.ts'
import { CHANNELS } from './leaks/channels.ts'
import { FUZZ } from './leaks/fuzz.ts'
import { SOURCE } from './leaks/source.ts'
import { removeFolder } from '../../helpers/folders.ts'

const LATE_MS = 20

describe.each(['fresh', 'frozen'] as const)('%s calls', (state) => {
  const diagnostics: string[] = []
  const strays: string[] = []
  let host: ToolHost
  let folder: string

  const call = async (name: string, args: unknown): Promise<unknown> => {
    const agent = host.openSession().agent('leaks')
    return toSuccess(await agent.tools.execute(makeCall(name, args))).value
  }
  const load = async (name: string, source: string): Promise<void> => {
    const file = join(folder, `${name}.mjs`)
    await writeFile(file, source)
    const loaded = await host.tools.load(file, { profile: 'leaks' })
    expect(loaded.state?.name ?? 'fresh', diagnostics.join()).toBe(state)
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'caisson-leaks-'))
    const limits = { timeoutMs: 30_000, outputBytes: 16 * 1024 * 1024, memoryMb: 128 }
    host = createToolHost({
      maxRunners: 1,
      profiles: [{ name: 'leaks', engine: 'isolate', state, limits }],
      logger: (line) => void diagnostics.push(line),
    })
    host.on('tool/log', ({ data: { text } }) => {
      if (text.startsWith('unhandled rejection')) strays.push(text)
    })
    await load('channels', SOURCE)
    await call('look', { channel: CHANNELS[0]?.name })
  }, 60_000)
  afterAll(async () => {
    await host.close()
    removeFolder(folder)
  })

  test.each(CHANNELS)('ATK-107 leave nothing in $name', async ({ name, isLate = false }) => {
    const left = (await call('leave', { channel: name })) as { refused?: string; sees?: boolean }
    // What cannot be seen by the call that leaves it would prove nothing of the next.
    if (!isLate) expect(left.refused ?? left.sees, JSON.stringify(left)).toBeTruthy()
    const wait = isLate ? LATE_MS : 0
    expect(await call('look', { channel: name, wait })).toEqual({ sees: false })
  })

  test('one runner has served all of them', () => {
    expect(host.engineCounts().isolate.kills).toBe(0)
  })

  test('BUG-38 find every object that can be reached as it was, whatever a call did to all of them', async () => {
    await load('fuzz', FUZZ)
    const before = (await call('inspect', {})) as Record<string, string>
    expect(Object.keys(before).length).toBeGreaterThan(1_000)
    const touched = (await call('touch', { calls: state === 'frozen' })) as { objects: number }
    expect(touched.objects).toBeGreaterThan(1_000)
    const after = (await call('inspect', {})) as Record<string, string>
    const changed = Object.keys({ ...before, ...after }).filter((way) => before[way] !== after[way])
    expect(changed.map((way) => `${way}: ${before[way]} → ${after[way]}`)).toEqual([])
    // An error that nobody caught would have ended the runner, and what it shares with it.
    expect(strays).toEqual([])
    expect(host.engineCounts().isolate.kills).toBe(0)
  }, 60_000)
})
