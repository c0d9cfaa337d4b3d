import { InvalidArgumentError } from 'commander'
import { describe, expect, test } from 'vitest'
import {
  parseMix,
  parseRate,
  parseSpan,
  parseStages,
  parseWarmup,
  readLoadArgs,
  resolveLoad,
  type LoadOptions,
} from '../../src/cli/bench-options.ts'
import { parseTolerance } from '../../src/cli/bench-compare.ts'

const options: LoadOptions = {
  args: '{"n":1}',
  argsOf: [],
  warmup: {},
  arrivals: 'constant',
  seed: 1,
  maxOutstanding: 10,
}
const tools = [{ tool: 'one', weight: 1 }]
const resolve = async (given: Partial<LoadOptions>): Promise<ReturnType<typeof resolveLoad>> => {
  const all = { ...options, ...given }
  return resolveLoad(tools, await readLoadArgs(all), all)
}

describe('resolveLoad()', () => {
  test('is an open load of 50 calls a second for ten seconds unless told otherwise', async () => {
    expect(await resolve({})).toMatchObject({
      model: 'open',
      calls: [{ tool: 'one', weight: 1, args: { n: 1 } }],
      level: 50,
      durationMs: 10_000,
      requests: undefined,
    })
    expect(await resolve({ requests: 5 })).toMatchObject({ durationMs: undefined, requests: 5 })
    expect(await resolve({ concurrency: 3 })).toMatchObject({ model: 'closed', level: 3 })
  })

  test('ramps from where it begins, for as long as the stages last', async () => {
    const stages = parseStages('10s:100, 30s:500')
    expect(await resolve({ stages })).toMatchObject({ model: 'open', level: 0, durationMs: 40_000 })
    expect(await resolve({ stages, rate: 20 })).toMatchObject({ level: 20 })
    expect(await resolve({ stages, concurrency: 2 })).toMatchObject({ model: 'closed', level: 2 })
  })

  test('gives a tool its own arguments', async () => {
    const { calls } = await resolve({ argsOf: ['one={"m":"a=b"}'] })
    expect(calls).toEqual([{ tool: 'one', weight: 1, args: { m: 'a=b' } }])
  })

  test.each([
    [{ rate: 1, concurrency: 1 }, '--rate'],
    [{ stages: [{ ms: 1, target: 1 }], duration: 5 }, '--stages'],
    [{ argsOf: ['one'] }, '--args-of'],
    [{ argsOf: ['two={}'] }, '--args-of two'],
    [{ args: '{' }, '--args'],
  ])('refuses %j', async (given, named) => {
    await expect(resolve(given)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(named) as string,
    })
  })
})

describe('the options of a load', () => {
  test('are read as people write them', () => {
    expect(['500ms', '10s', '1.5m', '250'].map(parseSpan('--duration'))).toEqual([
      500, 10_000, 90_000, 250,
    ])
    expect(['200', '200/s', '0.5/s'].map(parseRate)).toEqual([200, 200, 0.5])
    expect(parseStages('1s:5')).toEqual([{ ms: 1_000, target: 5 }])
    expect(['20', '2s', '0', '0s'].map(parseWarmup)).toEqual([
      { requests: 20 },
      { ms: 2_000 },
      {},
      {},
    ])
    expect([...parseMix('a=3, b.c=0.5')]).toEqual([
      ['a', 3],
      ['b.c', 0.5],
    ])
    expect(['10%', '0.1', '0'].map(parseTolerance)).toEqual([0.1, 0.1, 0])
  })

  test.each([
    [parseSpan('--duration'), ['', '0', '-1s', '1d', 'soon', '1e9h']],
    [parseRate, ['', '0', '5/m', '1e6', '-1', '200000']],
    [parseStages, ['', '10s', '10s:', '10s:x', '10s:1:2', ':5', '1s:5,']],
    [parseWarmup, ['', 'x', '-1', '1d']],
    [parseMix, ['', 'a', 'a=0', 'a=1,a=2', 'a=-1', '=1']],
    [parseTolerance, ['', 'x', '-1', '10%%']],
  ])('are refused when they are none: %o', (parse, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(InvalidArgumentError)
  })
})
