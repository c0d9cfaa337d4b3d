import { expect, test } from 'vitest'
import { createMessageParser } from '../../../src/engine/isolate/parse-message.ts'

const head = (fields: object): string => JSON.stringify({ ...fields, s: 'mine' })

test('createMessageParser() joins a message and its body', () => {
  const text = `${head({ t: 'event', id: 'a' })}\n{"k":"started"}`
  expect(createMessageParser('mine')(text)).toEqual({
    t: 'event',
    id: 'a',
    s: 'mine',
    body: { k: 'started' },
    size: text.length,
  })
})

test('createMessageParser() reads each head for itself, whatever came before', () => {
  const parse = createMessageParser('mine')
  const started = '\n{"k":"started"}'
  expect(parse(`${head({ t: 'event', id: 'a' })}${started}`)).toMatchObject({ id: 'a' })
  expect(parse(`${head({ t: 'event', id: 'b' })}${started}`)).toMatchObject({ id: 'b' })
  expect(parse(head({ t: 'event', id: 'b' }))).toBeUndefined()
  const foreign = JSON.stringify({ t: 'rested', s: 'other' })
  expect([parse(foreign), parse(foreign)]).toEqual([undefined, undefined])
  expect(parse(head({ t: 'rested' }))).toMatchObject({ t: 'rested' })
})

test.each([
  ['another type', '{"k":"started"},"t":"memory"}'],
  ['another id', '{"k":"started"},"id":"b"}'],
  ['a further line', '{"k":"started"}\n{"t":"memory","s":"mine"}'],
  ['nothing', ''],
  ['a text', '"started"'],
])('createMessageParser() lets a body not say %s', (_what, body) => {
  expect(createMessageParser('mine')(`${head({ t: 'event', id: 'a' })}\n${body}`)).toBeUndefined()
})

test('createMessageParser() takes a body from nowhere but the body', () => {
  const text = head({ t: 'event', id: 'a', body: { k: 'started' } })
  expect(createMessageParser('mine')(text)).toBeUndefined()
})

test.each([
  '',
  '{',
  '[]',
  'null',
  '1',
  head({}),
  head({ t: 'toString' }),
  head({ t: '__proto__' }),
])('createMessageParser() has no message in %s', (text) => {
  expect(createMessageParser('mine')(text)).toBeUndefined()
})

test('createMessageParser() listens to one session only', () => {
  expect(createMessageParser('mine')(head({ t: 'ready' }))).toMatchObject({ t: 'ready' })
  expect(createMessageParser('other')(head({ t: 'ready' }))).toBeUndefined()
})
