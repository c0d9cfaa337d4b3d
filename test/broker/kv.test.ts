import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBrokers } from '../../src/broker/brokers.ts'
import { createKvBroker } from '../../src/broker/kv/broker.ts'
import { createKvStore } from '../../src/broker/kv/store.ts'
import type { CapabilityContext } from '../../src/types/capability.ts'
import type { JsonValue } from '../../src/types/json.ts'
import { makeFolder } from '../helpers/folders.ts'

interface Kv {
  ask(payload: unknown): Promise<JsonValue>
  get(key: unknown): Promise<JsonValue>
  set(key: unknown, value: unknown): Promise<string>
  settle(): void
}
type Who = Partial<Pick<CapabilityContext, 'tool' | 'agent'>> & { source?: string; quota?: number }

/** Attempts at one store; two rigs over one folder are two runs of a host. */
function createKvRig(folder?: string): { as(who?: Who): Kv; diagnostics: string[] } {
  const diagnostics: string[] = []
  const diagnose = (text: string): void => void diagnostics.push(text)
  const broker = createKvBroker(createKvStore({ folder, diagnose }))
  const brokers = createBrokers({ capabilities: new Map([['kv', broker]]), diagnose })
  return {
    diagnostics,
    as({ tool = 't', agent, source = 's', quota = 4_096 } = {}) {
      const controller = new AbortController()
      const context: CapabilityContext = {
        callId: 'c',
        tool,
        ...(agent === undefined ? {} : { agent }),
        grants: { kv: { quotaBytes: quota }, secrets: {}, calls: 1_000, source },
        placeholders: new Map(),
        signal: controller.signal,
        record: () => undefined,
      }
      const ask: Kv['ask'] = (payload) => brokers.request(context, 'kv', payload as JsonValue)
      return {
        ask,
        get: (key) => ask({ op: 'get', key }),
        set: (key, value) =>
          ask({ op: 'set', key, value }).then(
            () => 'ok',
            (error: unknown) => String(Reflect.get(Object(error), 'code')),
          ),
        settle: () => controller.abort(),
      }
    },
  }
}

describe('the kv broker', () => {
  test('keeps JSON values between attempts', async () => {
    const rig = createKvRig()
    const value = { a: [1, null, 'ü'], b: { c: true } }
    expect(await rig.as().set('k', value)).toBe('ok')
    expect(await rig.as().get('k')).toEqual({ value })
    expect(await rig.as().get('none')).toEqual({})
    expect(await rig.as().ask({ op: 'delete', key: 'k' })).toEqual({ deleted: true })
    expect(await rig.as().ask({ op: 'delete', key: 'k' })).toEqual({ deleted: false })
    expect(await rig.as().get('k')).toEqual({})
  })

  test('lists keys by prefix, sorted', async () => {
    const kv = createKvRig().as()
    for (const key of ['b', 'a/2', 'a/1', 'c']) await kv.set(key, 1)
    expect(await kv.ask({ op: 'list', prefix: '' })).toEqual({ keys: ['a/1', 'a/2', 'b', 'c'] })
    expect(await kv.ask({ op: 'list', prefix: 'a/' })).toEqual({ keys: ['a/1', 'a/2'] })
  })

  test('each tool, agent and source has its own', async () => {
    const rig = createKvRig()
    const owners: Who[] = [
      {},
      { tool: 'u' },
      { source: 'r' },
      { agent: { id: 'a' } },
      { agent: { id: 'b' } },
      { tool: 's","t', source: '' },
    ]
    for (const [at, who] of owners.entries()) await rig.as(who).set('k', at)
    for (const [at, who] of owners.entries())
      expect(await rig.as(who).get('k')).toEqual({ value: at })
  })

  test('names of object members and byte-different keys are keys like others', async () => {
    const kv = createKvRig().as()
    const keys = ['__proto__', 'constructor', 'toString', '\u00e9', 'e\u0301', 'K', '\u212a']
    for (const key of keys) expect(await kv.get(key)).toEqual({})
    for (const key of keys) await kv.set(key, key)
    for (const key of keys) expect(await kv.get(key)).toEqual({ value: key })
    expect(Reflect.get({}, 'k')).toBeUndefined()
  })

  test('beyond the quota nothing changes and it is OUTPUT_LIMIT', async () => {
    const kv = createKvRig().as({ quota: 200 })
    expect(await kv.set('k', 'x'.repeat(100))).toBe('ok')
    expect(await kv.set('l', 'x'.repeat(100))).toBe('OUTPUT_LIMIT')
    expect(await kv.set('k', 'x'.repeat(300))).toBe('OUTPUT_LIMIT')
    expect(await kv.get('k')).toEqual({ value: 'x'.repeat(100) })
    expect(await kv.set('k', 'y')).toBe('ok')
    expect(await kv.set('l', 'x'.repeat(80))).toBe('ok')
    let empty = 0
    while ((await kv.set(`e${empty}`, '')) === 'ok') empty += 1
    expect(empty).toBeLessThan(5)
    expect(await createKvRig().as({ quota: 0 }).set('k', 1)).toBe('OUTPUT_LIMIT')
  })

  test.each([{}, [], 2 ** 53, -1, null, 'a\0b', '', 'x'.repeat(513), 'ü'.repeat(300), '\ud800'])(
    'ATK-025 a key that is none is INVALID_ARGS: %j',
    async (key) => {
      const kv = createKvRig().as()
      expect(await kv.set(key, 1)).toBe('INVALID_ARGS')
      await expect(kv.get(key)).rejects.toMatchObject({ code: 'INVALID_ARGS' })
      expect(await kv.ask({ op: 'list', prefix: '' })).toEqual({ keys: [] })
    },
  )

  test('ATK-025 other shapes are INVALID_ARGS', async () => {
    const kv = createKvRig().as()
    for (const payload of [
      null,
      'get',
      { op: 'clear' },
      { op: 'set', key: 'k' },
      { op: 'get', key: 'k', x: 1 },
    ])
      await expect(kv.ask(payload)).rejects.toMatchObject({ code: 'INVALID_ARGS' })
    await expect(kv.ask({ unsendable: 'it is too long' })).rejects.toMatchObject({
      code: 'INVALID_ARGS',
      message: 'kv: it is too long',
    })
  })

  test('after its call has settled nothing is kept', async () => {
    const rig = createKvRig()
    const late = rig.as()
    late.settle()
    expect(await late.set('k', 1)).toBe('CAPABILITY_DENIED')
    expect(await rig.as().get('k')).toEqual({})
  })
})

describe('the kv store on disk', () => {
  test('values survive the host, in files that say nothing by their names', async () => {
    const folder = makeFolder('caisson-kv-')
    const who = { tool: '../../evil', agent: { id: '../a' } }
    const first = createKvRig(folder)
    await Promise.all(Array.from({ length: 50 }, (_, at) => first.as(who).set(`k${at}`, at)))
    await first.as().set('mine', true)
    const second = createKvRig(folder)
    expect(await second.as(who).get('k49')).toEqual({ value: 49 })
    expect(await second.as(who).ask({ op: 'list', prefix: 'k4' })).toMatchObject({
      keys: expect.arrayContaining(['k4', 'k40', 'k49']),
    })
    expect(await second.as().get('k49')).toEqual({})
    for (const name of readdirSync(folder)) expect(name).toMatch(/^[0-9a-f]{64}\.json$/)
  })

  test('a file that is damaged is put aside, and said', async () => {
    const folder = makeFolder('caisson-kv-')
    await createKvRig(folder).as().set('k', 1)
    const [name = ''] = readdirSync(folder)
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').slice(0, -5))
    const rig = createKvRig(folder)
    expect(await rig.as().get('k')).toEqual({})
    expect(rig.diagnostics).toEqual([expect.stringContaining('put aside')])
    expect(await rig.as().set('k', 2)).toBe('ok')
    expect(readdirSync(folder).toSorted()).toEqual([name, `${name}.unreadable`])
  })

  test('a folder that cannot be used is a refusal and a diagnostic, and heals', async () => {
    const folder = makeFolder('caisson-kv-')
    writeFileSync(join(folder, 'file'), '')
    const rig = createKvRig(join(folder, 'file'))
    expect(await rig.as().set('k', 1)).toBe('CAPABILITY_DENIED')
    expect(rig.diagnostics).toHaveLength(1)
    rmSync(join(folder, 'file'))
    expect(await rig.as().set('k', 1)).toBe('ok')
  })
})
