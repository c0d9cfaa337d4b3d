import { beforeAll, expect, test } from 'vitest'
import type { AroundListener, PostListener, PreListener } from '../../src/index.ts'
import { openArena, valueOf, type Attacked } from './attack.ts'

const arena = openArena({ policyTimeoutMs: 300 })
const BODY = "console.log('entered'); if (args.fails) throw new Error('broken'); return 1"
const FIELDS = `output: {
  schema: { type: 'integer' },
  render: (_args, value) => [{ type: 'text', text: 'value ' + value }],
}`
beforeAll(() => arena.load({ body: BODY, fields: FIELDS }))

/** One call of a tool that says when it is entered, under listeners that concern no other tool. */
async function attackUnder(
  event: string,
  listeners: readonly ((...args: never[]) => unknown)[],
  args: object = {},
): Promise<Attacked> {
  const offs = listeners.map((listener) =>
    arena.host.on(event, (...given: unknown[]) => {
      const [exec] = given as [{ name: string }]
      const next = given.at(-1) as () => unknown
      return exec.name === 'attack' ? listener(...(given as never[])) : next()
    }),
  )
  const attacked = await arena.call({ args })
  for (const off of offs) off()
  return attacked
}

function expectUntouched({ result, logs }: Attacked, error: object): void {
  expect(result).toMatchObject({ isError: true, error, attempts: [] })
  expect(logs).toEqual([])
}

const pre = (...listeners: PreListener[]): Promise<Attacked> =>
  attackUnder('tools/pre-execute', listeners)

test('ATK-112 a pre listener that throws denies, one that hangs runs into its deadline', async () => {
  const throwing = await pre(() => {
    throw new Error('policy is broken')
  })
  expectUntouched(throwing, { code: 'DENIED', by: 'policy' })
  const begun = performance.now()
  const hanging = await pre(() => new Promise(() => undefined))
  expectUntouched(hanging, { code: 'POLICY_TIMEOUT' })
  expect(performance.now() - begun).toBeLessThan(5_000)
})

test.each([undefined, {}, true, 'allow', { kind: 'deny' }, { kind: 'deny', reason: '' }])(
  'ATK-112 a pre listener that answers %j denies as one whose word means nothing',
  async (answer) => {
    expectUntouched(await pre(() => answer as never), { code: 'BAD_DECISION' })
  },
)

test('ATK-113 nobody loosens a denial, from outside of it or in front of it', async () => {
  const deny: PreListener = () => ({ kind: 'deny', reason: 'not here' })
  const over = await pre(async (_exec, next) => (await next(), { kind: 'allow' }), deny)
  expectUntouched(over, { code: 'DENIED', by: 'policy', message: 'not here' })
  const before = await pre(() => ({ kind: 'allow' }), deny)
  expectUntouched(before, { code: 'DENIED', by: 'policy', message: 'not here' })
  const swallowed = await pre(async (_exec, next) => {
    await next().catch(() => undefined)
    return { kind: 'allow' }
  }, deny)
  expectUntouched(swallowed, { code: 'DENIED', by: 'policy' })
})

test('ATK-114 a wrapper can neither rename a call nor change what it is called with', async () => {
  const thrown: unknown[] = []
  const assign: AroundListener = (exec, next) => {
    for (const [key, value] of [
      ['name', 'good'],
      ['arguments', { fails: true }],
      ['token', Symbol('x')],
      ['callId', 'other'],
    ] as const) {
      try {
        if (!Reflect.set(exec, key, value)) thrown.push(key)
        Object.assign(exec, { [key]: value })
      } catch (error) {
        thrown.push(error instanceof TypeError)
      }
    }
    return next()
  }
  const { result, logs } = await attackUnder('tools/execute', [assign])
  expect(thrown).toEqual(['name', true, 'arguments', true, 'token', true, 'callId', true])
  expect(result).toMatchObject({ isError: false, value: 1 })
  expect(logs).toHaveLength(1)
})

test.each([
  ['deletes', (exec: object) => Reflect.deleteProperty(exec, 'signal')],
  ['empties', (exec: object) => Reflect.set(exec, 'signal', {})],
  ['unsets', (exec: object) => Reflect.set(exec, 'signal', undefined)],
])('ATK-114 a wrapper that %s the signal lets nothing run', async (_how, spoil) => {
  const wrapper: AroundListener = (exec, next) => (spoil(exec), next())
  const { result, logs } = await attackUnder('tools/execute', [wrapper])
  expect(result).toMatchObject({ isError: true, error: { code: 'BAD_DECISION' } })
  expect(logs).toEqual([])
})

test('ATK-115 a post listener cannot make a success of a failure', async () => {
  const problems: string[] = []
  const edit: PostListener = (_exec, result) => {
    for (const change of [
      () => Object.assign(result, { isError: false, value: 'forged' }),
      () => (result.content as unknown[]).push({ type: 'text', text: 'forged' }),
      () => Reflect.deleteProperty(result, 'error') || problems.push('kept'),
    ]) {
      try {
        change()
      } catch (error) {
        problems.push(error instanceof TypeError ? 'refused' : 'other')
      }
    }
    return { kind: 'accept' }
  }
  const { result } = await attackUnder('tools/post-execute', [edit], { fails: true })
  expect(problems).toEqual(['refused', 'refused', 'kept'])
  expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_ERROR', message: 'broken' } })
  expect(JSON.stringify(result)).not.toContain('forged')
})

test('ATK-115 nor put a value in place that its schema does not allow', async () => {
  const replace: PostListener = () => ({ kind: 'accept', value: 'no number' })
  const { result } = await attackUnder('tools/post-execute', [replace])
  expect(result).toMatchObject({
    isError: true,
    error: { code: 'INVALID_TOOL_OUTPUT', stage: 'post-execute' },
  })
  const fitting: PostListener = () => ({ kind: 'accept', value: 2 })
  expect(valueOf(await attackUnder('tools/post-execute', [fitting]))).toBe(2)
})
