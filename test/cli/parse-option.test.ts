import { expect, test } from 'vitest'
import { parseTime } from '../../src/cli/parse-option.ts'

test.each([
  ['2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['2030-01-31T12:00+02:00', '2030-01-31T10:00:00.000Z'],
  ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
])('parseTime() gives %s as %s, which compares with what records hold', (text, at) => {
  expect(parseTime('--since')(text)).toBe(at)
})

test.each(['', 'yesterday', '2030', '2030-13-01', '2030-01-31T25:00Z', '31.1.2030', '1893456000'])(
  'parseTime() refuses %j and says what it takes',
  (text) => {
    expect(() => parseTime('--since')(text)).toThrow('--since takes an ISO 8601 time, such as ')
  },
)
