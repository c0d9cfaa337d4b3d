import { describe, expect, test } from 'vitest'
import * as upstreamLlm from '@deepseek-ai/dsh-llm'
import * as upstreamTools from '@deepseek-ai/dsh-tools'
import { defineTool } from '../../src/registry/define-tool.ts'
import { findWhenNeeded } from '../../workers/shared/virtual/define-known.ts'
import { createVirtualModules } from '../../workers/shared/virtual/index.ts'
import { VIRTUAL_MODULES } from '../../workers/shared/virtual/names.ts'

const schemastery = (): unknown => 'schemastery'
const modules = createVirtualModules({ schemastery })

/** An export that is called or constructed with whatever a test gives. */
type Loose = ((...given: unknown[]) => unknown) & (new (...given: unknown[]) => Error)
const exportOf =
  (module: string) =>
  (name: string): Loose =>
    Reflect.get(Object(modules(module)), name) as Loose

describe('createVirtualModules()', () => {
  test('answers every name of VIRTUAL_MODULES, each once, and no other', () => {
    for (const name of VIRTUAL_MODULES) {
      expect(modules(name)).toBeDefined()
      expect(modules(name)).toBe(modules(name))
    }
    expect(modules('cordis')).toBe(modules('@deepseek-ai/cordis'))
    expect(modules('schemastery')).toBe(modules('@deepseek-ai/schemastery'))
    expect(modules('toString')).toBe(undefined)
    expect(modules('@deepseek-ai/dsh-agent')).toBe(undefined)
  })

  test('makes nothing before it is asked', () => {
    let made = 0
    const lazy = createVirtualModules({ schemastery: () => (made += 1) })
    lazy('caisson')
    expect(made).toBe(0)
    lazy('schemastery')
    lazy('schemastery')
    expect(made).toBe(1)
  })

  test('gives one and the same defineTool under each name', () => {
    expect(exportOf('caisson')('defineTool')).toBe(defineTool)
    expect(exportOf('@deepseek-ai/dsh-tools')('defineTool')).toBe(defineTool)
  })
})

// What upstream exports is read like any module of foreign code.
const upstream = new Map<string, unknown>(Object.entries(upstreamTools))

describe('the tools package agrees with the one of DSH about', () => {
  const ours = exportOf('@deepseek-ai/dsh-tools')
  const spec = {
    name: { type: 'string', required: true },
    tags: { type: 'array', items: { type: 'string' } },
    size: { type: 'integer', enum: [1, 2] },
  } as const

  test('the names of errors, validators and compilers', () => {
    for (const name of [
      'JsonSchemaError',
      'ToolArgsError',
      'ToolNotFoundError',
      'ToolOutputError',
      'assertObjectJsonSchema',
      'assertSupportedJsonSchema',
      'defineTool',
      'parameterSchemaSpecToJsonSchema',
      'validateArgs',
      'validateJsonSchemaValue',
      'valueSchemaSpecToJsonSchema',
    ]) {
      expect(upstream.get(name)).toBeTypeOf('function')
      expect(ours(name)).toBeTypeOf('function')
    }
  })

  test('compiled schemas', () => {
    const compile = 'parameterSchemaSpecToJsonSchema'
    expect(ours(compile)(spec)).toEqual((upstream.get(compile) as Loose)(spec))
  })

  test.each([{ name: 'a' }, {}, { name: 1 }, { name: 'a', tags: [2] }, { name: 'a', size: 3 }])(
    'whether arguments fit: %j',
    (args) => {
      expect((ours('validateArgs')(spec, args) as unknown[]).length).toBe(
        upstreamTools.validateArgs(spec, args as never).length,
      )
    },
  )

  test('errors: message, name, code', () => {
    const pairs: [Error, Error][] = [
      [new (ours('ToolArgsError'))(['x']), new upstreamTools.ToolArgsError(['x'])],
      [new (ours('ToolNotFoundError'))('t'), new upstreamTools.ToolNotFoundError('t')],
      [new (ours('ToolOutputError'))('t', ['x']), new upstreamTools.ToolOutputError('t', ['x'])],
      [new (ours('JsonSchemaError'))(['x']), new upstreamTools.JsonSchemaError(['x'])],
    ]
    const fields = (error: Error): object =>
      Object.fromEntries(
        ['name', 'message', 'code', 'violations'].map((key) => [key, Reflect.get(error, key)]),
      )
    for (const [mine, theirs] of pairs) expect(fields(mine)).toEqual(fields(theirs))
  })

  test('a schema error, which is caught by class', () => {
    const compile = (): unknown => ours('valueSchemaSpecToJsonSchema')({ type: 'wrong' })
    expect(compile).toThrow(ours('JsonSchemaError'))
    expect(new Error('other') instanceof ours('JsonSchemaError')).toBe(false)
  })
})

describe('the model package agrees with the one of DSH about', () => {
  const ours = exportOf('@deepseek-ai/dsh-llm')
  const withoutId = (message: object): object => ({ ...message, id: 'same' })

  test('messages', () => {
    const input = { content: [{ type: 'text' as const, text: 'hi' }], source: { kind: 'user' } }
    const mine = ours('createUserMessage')(input) as { id: string; content: unknown[] }
    expect(withoutId(mine)).toEqual(withoutId(upstreamLlm.createUserMessage(input as never)))
    expect(mine.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(Object.isFrozen(mine.content[0])).toBe(true)
    const result = { callId: 'c', content: [], isError: false }
    expect(withoutId(ours('createToolResultMessage')(result) as object)).toEqual(
      withoutId(upstreamLlm.createToolResultMessage(result as never)),
    )
  })

  test('identities and errors', () => {
    expect(ours('ToolCallId')('x')).toBe('x')
    expect(ours('CallId')('x')).toBe(upstreamLlm.CallId('x'))
    class Own extends ours('HarnessError') {}
    const own = new Own('text', 'CODE') as Error & { code: string }
    expect([own.name, own.message, own.code]).toEqual(['Own', 'text', 'CODE'])
    expect(ours('isHarnessError')(own)).toBe(true)
    const chain = new Error('outer', { cause: new Error('inner') })
    expect(ours('errorChain')(chain)).toBe(upstreamLlm.errorChain(chain))
  })
})

describe('the values package', () => {
  const ours = exportOf('@deepseek-ai/dsh-util-values')

  test('copies lossless JSON and answers undefined to the rest', () => {
    const given = { a: [1, { b: null }] }
    const copy = ours('snapshotJsonValue')(given) as typeof given
    expect(copy).toEqual(given)
    expect(copy.a).not.toBe(given.a)
    expect(ours('snapshotJsonValue')(new Date())).toBe(undefined)
    expect(ours('isJsonValue')({ a: undefined })).toBe(false)
    expect(ours('isJsonValue')({ a: 1 })).toBe(true)
  })

  test('compares and freezes', () => {
    expect(ours('deepEqualJson')({ a: [1] }, { a: [1] })).toBe(true)
    expect(ours('deepEqualJson')({ a: [1] }, { a: { 0: 1 } })).toBe(false)
    expect(ours('deepEqualJson')({ a: 1, b: 2 }, { a: 1, c: 2 })).toBe(false)
    const frozen = ours('deepFreeze')({ a: { b: 1 } }) as { a: object }
    expect(Object.isFrozen(frozen.a)).toBe(true)
  })
})

test('createVirtualModules() compiles no schema of a tool that was described before', async () => {
  const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const known = { doubles: JSON.stringify({ parameters, schema: { type: 'integer' } }) }
  const { defineTool } = createVirtualModules(
    { schemastery: () => undefined },
    findWhenNeeded(known),
  )('caisson') as {
    defineTool(options: object): Record<string, unknown> & { execute(args: unknown): unknown }
  }
  const options = {
    description: '',
    parameters: { gone: { type: 'never seen' } },
    output: { schema: { type: 'integer' }, render: () => [] },
    execute: ({ n }: { n: number }) => 2 * n,
  }
  const tool = defineTool({ ...options, name: 'doubles' })
  expect(tool['parameters']).toEqual(parameters)
  expect(Object.isFrozen(tool['parameters'])).toBe(true)
  expect(tool['output']).toMatchObject({ schema: { type: 'integer' } })
  expect(tool.execute({ n: 2 })).toBe(4)
  await expect(tool.execute({ n: 'two' })).rejects.toMatchObject({ code: 'INVALID_ARGS' })
  expect(() => defineTool({ ...options, name: 'toString' })).toThrow(/never seen|unsupported/)
})
