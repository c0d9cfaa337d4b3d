import { describe, expect, test } from 'vitest'
import { redactJson } from '../../../../src/policies/auto-approval/redaction/redact.ts'

const TOKEN = 'ghp_abcdefghijklmnop'
const KEEP = [
  'color = red',
  'token: none',
  'tokenizer: something-long',
  'git@host:x/y.git',
  'https://user@host/',
  'https://h/p@x',
  'https://host:8080/x@y',
]

describe('shapes', () => {
  test('RED-01 off, and nothing to mask, give the same object', () => {
    const value = { a: [TOKEN], b: { c: 1 } }
    expect(redactJson(value, 'off').value).toBe(value)
    const clean = { a: ['x'], b: { c: 1 } }
    const result = redactJson(clean, 'shapes')
    expect(result.value).toBe(clean)
    expect(result.count).toBe(0)
  })

  test.each([
    ['a token', `x ${TOKEN} y`, 'x [redacted] y'],
    ['an access key', 'AKIAABCDEFGHIJKLMNOP', '[redacted]'],
    ['a bearer', 'Bearer abcdefghijkl', 'Bearer [redacted]'],
    ['a header', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted]'],
    ['a JWT', `t=eyJhbGciOi.eyJzdWIiOiIx.${'a'.repeat(24)}`, 't=[redacted]'],
    [
      'a private key',
      'k -----BEGIN RSA PRIVATE KEY-----\nDEK-Info: x\nabc\n-----END RSA PRIVATE KEY----- z',
      'k [redacted] z',
    ],
    ['a key that is cut off', '-----BEGIN PRIVATE KEY-----\nabc', '[redacted]'],
  ])('%s is masked', (_what, text, shown) => {
    expect(redactJson({ text }, 'shapes').value).toEqual({ text: shown })
  })

  test('RED-07 of a URL only the password goes', () => {
    expect(redactJson('postgres://u:p@h/db', 'shapes').value).toBe('postgres://u:[redacted]@h/db')
  })

  test('RED-06 full also masks what stands behind a name; both leave the rest', () => {
    const text = 'password = hunter2hunter2'
    expect(redactJson(text, 'shapes').value).toBe(text)
    expect(redactJson(text, 'full').value).toBe('password = [redacted]')
    expect(redactJson('{"db_password": "hunter2hunter2"}', 'full').value).toBe(
      '{"db_password": "[redacted]"}',
    )
    const fields = {
      apiKey: 'abcdefgh',
      'x-api-key': 'abcdefgh',
      accessToken: 'abcdefgh',
      name: 'abcdefgh',
    }
    expect(redactJson(fields, 'full').value).toEqual({
      apiKey: '[redacted]',
      'x-api-key': '[redacted]',
      accessToken: '[redacted]',
      name: 'abcdefgh',
    })
    for (const kept of KEEP) {
      expect(redactJson(kept, 'shapes').value).toBe(kept)
      expect(redactJson(kept, 'full').value).toBe(kept)
    }
  })

  test('RED-08 deep values end in a marker, and an own __proto__ stays data', () => {
    let deep: unknown = { secret: TOKEN }
    for (let level = 0; level < 70; level++) deep = { deep }
    expect(JSON.stringify(redactJson(deep, 'shapes').value)).toContain('deeper levels left out')
    const odd = JSON.parse(`{"__proto__":{"x":"${TOKEN}"},"y":"${TOKEN}"}`) as object
    const { value } = redactJson(odd, 'shapes')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ x: '[redacted]' })
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test('what takes more than a second of work is given up', () => {
    const value = Array(400).fill('authorization: x '.repeat(60_000))
    expect(() => redactJson(value, 'full')).toThrow('masking took too long')
  })

  test('text that is made to be slow is not', () => {
    const evil = [
      '-----BEGIN PRIVATE KEY-----',
      'a_',
      'sk-',
      'password=',
      'https://a:',
      'eyJ.',
      'Bearer ',
    ]
    const begun = process.threadCpuUsage()
    for (const part of evil) redactJson(part.repeat(100_000), 'full')
    expect(process.threadCpuUsage(begun).user / 1_000).toBeLessThan(5_000)
  })
})
