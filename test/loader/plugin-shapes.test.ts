import { afterAll, describe, expect, test } from 'vitest'
import { openLoader, returned } from '../helpers/open-loader.ts'

const loader = openLoader()
afterAll(() => loader[Symbol.asyncDispose]())

const shapes: [source: string, format: string, tools: string[]][] = [
  ['definition-default.ts', 'definition', ['greet']],
  ['definitions-named.ts', 'definition', ['add', 'subtract']],
  ['definitions-grouped.js', 'definition', ['first', 'second', 'shared', 'third']],
  ['factory-default.mjs', 'definition', ['made']],
  ['common-js.cjs', 'dsh-plugin', ['where']],
  ['plugin-namespace.js', 'dsh-plugin', ['greet']],
  ['plugin-async.ts', 'dsh-plugin', ['later']],
  ['plugin-object.mjs', 'dsh-plugin', ['again', 'kept']],
  ['plugin-class.ts', 'dsh-plugin', ['word', 'word_length']],
  ['plugin-nested.ts', 'dsh-plugin', ['greet', 'later', 'registered']],
  ['model-sdk.js', 'ai-sdk', ['count', 'weather']],
  ['top-level-await.ts', 'definition', ['words']],
  ['with-assets', 'definition', ['assets']],
  ['unbuilt', 'definition', ['colour']],
  ['imports-nothing-real.ts', 'definition', ['optional']],
]

describe('loadSource() recognises', () => {
  test.each(shapes)('%s as %s', async (source, format, tools) => {
    const loaded = await loader.load(source)
    expect(loaded.format).toBe(format)
    expect(loaded.tools.map(({ name }) => name).sort()).toEqual(tools)
    await loaded.dispose()
  })

  test('four hundred tools whose description is larger than any answer of theirs', async () => {
    const loaded = await loader.load('many-tools.js')
    expect(loaded.tools).toHaveLength(400)
    expect(returned(await loader.call(loaded, 'tool_399'))).toBe(399)
  })

  test('tools that a plugin registers after its apply has settled', async () => {
    const loaded = await loader.load('plugin-late.js')
    expect(loaded.tools.map(({ name }) => name).sort()).toEqual([
      'after_immediate',
      'after_inject',
      'after_promise',
      'after_provide',
      'after_timer',
      'now',
      'on_ready',
    ])
  })
})

describe('loadSource() gives tools that run', () => {
  const run = async (source: string, tool: string, args = {}, config?: unknown) =>
    returned(await loader.call(await loader.load(source, config), tool, args))

  test('REG-15 a definition made with the defineTool of DSH runs without a change', async () => {
    expect(await run('definitions-named.ts', 'subtract', { a: 5, b: 3 })).toBe(2)
  })

  test('REG-15 a plugin that registers a raw definition runs without a change', async () => {
    expect(await run('plugin-namespace.js', 'greet', { name: 'Ada' })).toBe('Hello, Ada!')
  })

  test('a class plugin gets its configuration and is a service of its own', async () => {
    expect(await run('plugin-class.ts', 'word', {}, { word: 'caisson' })).toBe('caisson')
    expect(await run('plugin-class.ts', 'word_length', {}, { word: 'caisson' })).toBe(7)
  })

  test('a plugin sees what went through a register it has wrapped', async () => {
    const seen = await run('plugin-nested.ts', 'registered')
    expect(seen).toEqual(['greet', 'later', 'registered'])
  })

  test('a Config schema fills in defaults and keeps what the operator gave', async () => {
    expect(await run('plugin-config.ts', 'limits')).toEqual({ limit: 5, unit: 'ms' })
    expect(await run('plugin-config.ts', 'limits', {}, { limit: 9 })).toEqual({
      limit: 9,
      unit: 'ms',
    })
  })

  test('top-level await and dynamic imports of own files work', async () => {
    expect(await run('top-level-await.ts', 'words')).toEqual(['one', 'A tool called two.'])
  })

  test('a tool of a model SDK gets parsed input, its call id and a signal', async () => {
    const value = await run('model-sdk.js', 'weather', { city: ' Oslo ' })
    expect(value).toEqual({ city: 'Oslo', toolCallId: expect.any(String), aborted: false })
  })

  test('of a generator the last value counts, and toModelOutput is what the model sees', async () => {
    const tools = await loader.load('model-sdk.js')
    const outcome = await loader.call(tools, 'count', { to: 3 })
    expect(outcome).toMatchObject({
      value: { at: 3 },
      projection: { render: { value: [{ type: 'text', text: 'counted to 3' }] } },
    })
  })

  test('a tool of a model SDK is described by the JSON Schema its schema gives', async () => {
    const { tools } = await loader.load('model-sdk.js')
    expect(tools.find(({ name }) => name === 'weather')?.parameters).toEqual({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    })
  })

  test('a tool of a model SDK with a zod schema is described, defaulted and checked by it', async () => {
    const tools = await loader.load('../zod-tools.ts')
    expect(tools.tools[0]).toMatchObject({
      name: 'roll',
      parameters: { type: 'object', properties: { sides: { type: 'integer', default: 6 } } },
    })
    expect(returned(await loader.call(tools, 'roll'))).toEqual({ sides: 6 })
    const refused = await loader.call(tools, 'roll', { sides: 1 })
    expect(refused).toMatchObject({
      kind: 'threw',
      thrown: { message: expect.stringContaining('invalid arguments') },
    })
  })

  test('an optional dependency that is not installed is one that throws when required', async () => {
    expect(await run('imports-nothing-real.ts', 'optional')).toBe('absent')
  })
})

describe('loadSource() hides the host from', () => {
  test('import.meta, whose places are below package:/', async () => {
    const tools = await loader.load('with-assets')
    expect(returned(await loader.call(tools, 'assets'))).toEqual({
      colour: 'green',
      url: 'package:/lib/index.js',
      folder: 'package:/lib',
      file: 'package:/lib/index.js',
      asset: 'package:/data.json',
      where: 'package:/lib/deep/where%20it%20is.js',
    })
  })

  test('__dirname and __filename of CommonJS', async () => {
    const tools = await loader.load('common-js.cjs')
    expect(returned(await loader.call(tools, 'where'))).toEqual({
      file: 'package:/common-js.cjs',
      folder: 'package:',
      base: 'common-js.cjs',
    })
  })

  test('ATK-073 a tool that looks for Node by its back doors', async () => {
    const tools = await loader.load('probes-builtins.js')
    expect(returned(await loader.call(tools, 'probe'))).toEqual({
      found: [],
      imports: ['rejected', 'rejected', 'rejected'],
    })
  })
})
