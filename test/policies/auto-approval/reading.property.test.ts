import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERDICTS } from '../../../src/policies/auto-approval/reasons.ts'
import { EVASIONS } from './evasion-rows.ts'
import { EVERYDAY } from './everyday-rows.ts'
import type { World } from './workspace.ts'
import { createWorld } from './workspace.ts'

let world: World
beforeAll(() => {
  world = createWorld()
})
afterAll(() => world.remove())

const LINES = [...Object.values(EVERYDAY).flat(), ...Object.values(EVASIONS).flat()]
// Words that mean the same in any quotes; a keyword in quotes would be another thing.
const PLAIN = LINES.filter(
  (line) =>
    /^[\w./: -]+$/.test(line) && !/^(?:if|for|while|case|select|function|coproc|time)\b/.test(line),
)

const quoteWord = fc.constantFrom<(word: string) => string>(
  (word) => word,
  (word) => `'${word}'`,
  (word) => `"${word}"`,
  (word) => `$'${word}'`,
  (word) => `${word.slice(0, 1)}""${word.slice(1)}`,
  (word) => `${word.slice(0, 2)}'${word.slice(2)}'`,
  (word) =>
    word
      .split('')
      .map((character) => `\\${character}`)
      .join(''),
  (word) =>
    `$'${word
      .split('')
      .map((one) => `\\x${one.charCodeAt(0).toString(16)}`)
      .join('')}'`,
)

function rank(line: string): number {
  return VERDICTS.indexOf(world.bash(line).assessment.verdict)
}

test('a line in other quotes gets a verdict at least as strict', () => {
  const cases = fc.record({
    line: fc.constantFrom(...PLAIN),
    quotes: fc.array(quoteWord, { minLength: 12, maxLength: 12 }),
  })
  fc.assert(
    fc.property(cases, ({ line, quotes }) => {
      const words = line.split(/ +/)
      const quoted = words.map((word, at) =>
        word === '' ? word : (quotes[at % 12]?.(word) ?? word),
      )
      expect(rank(quoted.join(' ')), quoted.join(' ')).toBeLessThanOrEqual(rank(line))
    }),
    { numRuns: 400 },
  )
})

// In the order in which they can stand inside each other: what takes words, what takes text, the rest.
const AROUND: readonly ((line: string) => string)[] = [
  (line) => `env ${line}`,
  (line) => `bash -c '${line}'`,
  (line) => `eval "${line}"`,
  (line) => `{ ${line}; }`,
  (line) => `( ${line} )`,
  (line) => `true && ${line}`,
  (line) => `ls; ${line}`,
  (line) => `if true; then ${line}; fi`,
  (line) => `echo "$( ${line} )"`,
  (line) => `for x in 1; do ${line}; done`,
  (line) => `f() { ${line}; }`,
  (line) => `${line} | cat`,
]

test('a line inside something else gets a verdict at least as strict', () => {
  const cases = fc.record({
    line: fc.constantFrom(...PLAIN),
    around: fc.array(fc.constantFrom(...AROUND.keys()), { minLength: 1, maxLength: 2 }),
  })
  fc.assert(
    fc.property(cases, ({ line, around }) => {
      const kinds = [...new Set(around)].sort((a, b) => a - b)
      const whole = kinds.reduce((inner, at) => AROUND[at]?.(inner) ?? inner, line)
      expect(rank(whole), whole).toBeLessThanOrEqual(rank(line))
    }),
    { numRuns: 400 },
  )
})

const FRAGMENTS = [
  ...[
    '$(',
    ')',
    '`',
    '"',
    "'",
    '\\',
    '\n',
    ' ',
    ';',
    '|',
    '&',
    '<',
    '>',
    '<<',
    '<<<',
    '{',
    '}',
    '(',
    '[',
  ],
  ...[
    ']]',
    '[[',
    '$',
    '${',
    'x',
    '=',
    '*',
    '?',
    '~',
    '/',
    '..',
    '.env',
    'rm',
    'cat',
    'cd',
    'for x in',
    'do',
  ],
  ...[
    'done',
    'if',
    'then',
    'fi',
    'case',
    'esac',
    'sudo',
    'eval',
    'bash -c',
    'find',
    '-exec',
    'git',
    '#',
  ],
  ...[
    '\u200b',
    '\u00a0',
    '\u0000',
    '\r',
    'EOF',
    '{a,b}',
    '$((',
    '))',
    '<(',
    'f()',
    '!',
    '-',
    '--',
    ':=',
  ],
]

test('no line makes the reading fail, and none takes long', () => {
  const lines = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 }).map((parts) => parts.join('')),
    fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 }).map((parts) => parts.join(' ')),
  )
  fc.assert(
    fc.property(lines, (line) => {
      const began = performance.now()
      const { assessment, guard } = world.bash(line)
      expect(performance.now() - began).toBeLessThan(2000)
      expect(assessment.reasons.length).toBeGreaterThan(0)
      // What fails is caught as a denial of its own; it must not come to that.
      expect(
        guard?.code === 'TARGET_UNREADABLE' &&
          assessment.reasons[0]?.targets.length === 0 &&
          !/rm|>/.test(line),
      ).toBe(false)
    }),
    { numRuns: 1500 },
  )
})

test('no arguments make the reading fail', () => {
  const tools = fc.constantFrom(
    'read',
    'write',
    'apply_patch',
    'str_replace_editor',
    'bash',
    'grep',
    'web_fetch',
    'mcp__x__y',
  )
  fc.assert(
    fc.property(tools, fc.jsonValue(), fc.jsonValue(), (tool, value, other) => {
      const args = {
        file_path: value,
        path: value,
        command: other,
        cwd: value,
        url: other,
        env: value,
        patches: [value, { file_path: other }],
      }
      expect(world.call(tool, args as never).assessment.reasons.length).toBeGreaterThan(0)
      expect(world.call(tool, value as never).assessment.reasons.length).toBeGreaterThan(0)
    }),
    { numRuns: 300 },
  )
})

test('hostile lines of the greatest size are read in bounded time', () => {
  const size = 60_000
  for (const piece of [
    '$(',
    '(',
    '{a,',
    '`',
    '${x:-',
    '<<A ',
    '*(',
    'a;',
    'a|',
    'cat $X;',
    'f()',
    'x=(',
    '\\',
    'rm /etc/x;',
    '{a..z}',
    '"$(',
    'cat [a-',
    'for x in a b c; do ',
    'x=1; ',
    'x=$x$x; ',
    'for y in 1 2 3 4 5 6 7 8; do curl $y/$y/$y; done; ',
  ]) {
    const line = piece.repeat(Math.floor(size / piece.length))
    const began = performance.now()
    expect(world.bash(line).assessment.decision).not.toBe('allow')
    expect(performance.now() - began, piece).toBeLessThan(5000)
  }
})
