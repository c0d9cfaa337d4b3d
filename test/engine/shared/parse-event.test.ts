import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseEvent,
  parseOutcome,
  parseProjection,
} from '../../../src/engine/shared/parse-event.ts'
import { parseRecord } from '../../../src/engine/shared/parse-record.ts'
import { jsonValues } from '../../helpers/arbitraries.ts'

const NONE = new Map<string, never>()
const projections = fc.oneof(
  fc.constant({ kind: 'returned' }),
  fc.record({ kind: fc.constant('returned'), value: jsonValues }),
  fc.record({ kind: fc.constant('failed'), message: fc.string() }),
)
const returned = fc.oneof(
  fc.record({ kind: fc.constant('returned'), value: jsonValues }),
  fc.record({
    kind: fc.constant('returned'),
    value: jsonValues,
    projection: fc.record({ render: projections }),
  }),
  fc.record({
    kind: fc.constant('returned'),
    value: jsonValues,
    projection: fc.record({ render: projections, presentationMeta: projections }),
  }),
)
const viaText = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('parseOutcome()', () => {
  test('keeps every well-formed success as it is', () => {
    fc.assert(
      fc.property(returned, (body) => {
        const given = viaText(body)
        expect(parseOutcome(given, NONE)).toEqual(given)
      }),
    )
  })

  test.each([
    ['an unknown key', { kind: 'returned', value: 1, extra: 1 }],
    ['no value', { kind: 'returned' }],
    ['an unknown kind', { kind: 'other', value: 1 }],
    ['a key of the prototype', JSON.parse('{"kind":"returned","__proto__":1}')],
    ['an array', ['returned', 1]],
    ['null', null],
    ['text', 'returned'],
    ['a projection that is none', { kind: 'returned', value: 1, projection: 1 }],
    ['an empty projection', { kind: 'returned', value: 1, projection: {} }],
    [
      'a projection without its kind',
      { kind: 'returned', value: 1, projection: { render: { value: [] } } },
    ],
    [
      'a failed projection with a number for a message',
      { kind: 'returned', value: 1, projection: { render: { kind: 'failed', message: 1 } } },
    ],
    [
      'a third projection',
      {
        kind: 'returned',
        value: 1,
        projection: { render: { kind: 'returned' }, other: { kind: 'returned' } },
      },
    ],
    ['a throw whose name is a number', { kind: 'threw', thrown: { name: 1, message: 'm' } }],
    ['a code of another kind', { kind: 'unusable', code: 'DENIED', message: 'm', facts: {} }],
  ])('answers %s with PROTOCOL_ERROR', (_title, body) => {
    expect(parseOutcome(body, NONE)).toMatchObject({ kind: 'died', code: 'PROTOCOL_ERROR' })
  })

  test('takes a refusal only from those the host has minted', () => {
    const thrown = { name: 'CapabilityError', message: 'no', code: 'CAPABILITY_DENIED' }
    expect(parseOutcome({ kind: 'threw', thrown, refusal: 'guessed' }, NONE)).toEqual({
      kind: 'threw',
      thrown,
    })
  })
})

describe('parseEvent()', () => {
  test('accepts a settle with any outcome and with nothing else', () => {
    fc.assert(
      fc.property(jsonValues, (outcome) => {
        const given = { k: 'settle', outcome }
        expect(parseEvent(given)).toEqual(given)
        expect(parseEvent({ ...given, more: 1 })).toBeUndefined()
      }),
    )
    expect(parseEvent({ k: 'settle' })).toBeUndefined()
    expect(parseEvent(['settle'])).toBeUndefined()
    expect(parseEvent({ k: 'log', level: 'info' })).toBeUndefined()
  })

  test('knows the phases there are, and a body that has begun', () => {
    expect(parseEvent({ k: 'phase', phase: 'render' })).toEqual({ k: 'phase', phase: 'render' })
    expect(parseEvent({ k: 'phase', phase: 'toString' })).toBeUndefined()
    expect(parseEvent({ k: 'phase' })).toBeUndefined()
    expect(parseEvent({ k: 'started' })).toEqual({ k: 'started' })
    expect(parseEvent({ k: 'started', at: 1 })).toBeUndefined()
  })
})

describe('parseProjection()', () => {
  test('counts a wrong shape as a throw', () => {
    expect(parseProjection({ kind: 'returned', more: 1 })).toMatchObject({ kind: 'failed' })
  })
})

describe('parseRecord()', () => {
  test('refuses what is no JSON, no object, or too deep, however short', () => {
    for (const text of ['', '{', '1', 'null', '"text"']) expect(parseRecord(text)).toBeUndefined()
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(parseRecord(nested(260))).toBeDefined()
    expect(parseRecord(nested(520))).toBeDefined()
    expect(parseRecord(nested(521))).toBeUndefined()
    expect(parseRecord(nested(100_000))).toBeUndefined()
    expect(parseRecord(`[${'0,'.repeat(200_100)}0]`)).toBeUndefined()
  })
})

test('parseOutcome() keeps of what a realm says about a value only what is the realm’s to say', () => {
  const facts = {
    limit: 'nodes',
    max: 5,
    where: 'value.a',
    by: 'guard',
    unconfirmed: true,
    code: 'X',
  }
  expect(
    parseOutcome({ kind: 'unusable', code: 'JSON_LIMIT', message: 'm', facts }, new Map()),
  ).toEqual({
    kind: 'unusable',
    code: 'JSON_LIMIT',
    message: 'm',
    facts: { limit: 'nodes', max: 5, where: 'value.a' },
  })
})
