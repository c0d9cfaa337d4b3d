import { readFileSync } from 'node:fs'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { fileSchema, toConfigJsonSchema } from '../../src/config/file-schema.ts'
import { CONFIG_TEMPLATE } from '../../src/config/template.ts'
import { readBlocks } from './blocks.ts'

const page = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8')

interface Shape {
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/** Every key with its default, by its path. */
function listKeys(shape: Shape, path: string): [string, unknown][] {
  const own = Object.entries(shape.properties ?? {}).flatMap(
    ([key, inner]): [string, unknown][] => {
      const at = path === '' ? key : `${path}.${key}`
      return [[at, inner.default], ...listKeys(inner, at)]
    },
  )
  const more = shape.additionalProperties
  return [
    ...own,
    ...(typeof more === 'object' ? listKeys(more, `${path}.<name>`) : []),
    ...(shape.items === undefined ? [] : listKeys(shape.items, `${path}[]`)),
    ...(shape.anyOf ?? []).flatMap((branch) => listKeys(branch, path)),
  ]
}

const known = new Map(listKeys(toConfigJsonSchema() as Shape, ''))

/** The rows of the tables below a heading: key and default. */
function rowsBelow(heading: string): [string, string][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  return [...text.matchAll(/^\| `([^`]+)` +\| (.*?) +\|/gm)].map(([, key = '', value = '']) => [
    key,
    value.replace(/^`(.*)`$/, '$1'),
  ])
}

const TOOL_KEYS = ['profile', 'timeoutMs', 'memoryMb', 'retry', 'idempotent', 'enabled']
const documented: [string, string][] = [
  ...rowsBelow('Sources and servers').filter(([key]) => !TOOL_KEYS.includes(key)),
  ...rowsBelow('The host'),
  ...rowsBelow('`serve`').map(([key, value]): [string, string] => [`serve.${key}`, value]),
  ...rowsBelow('`approval`').map(([key, value]): [string, string] => [`approval.${key}`, value]),
]

test('every key that the page names is one, with the default that it says', () => {
  for (const [key, value] of documented) {
    expect(known.has(key), key).toBe(true)
    const initial = known.get(key)
    if (initial !== undefined) expect([key, value]).toEqual([key, JSON.stringify(initial)])
  }
})

test('every key of the schema is on the page', () => {
  const names = new Set(documented.map(([key]) => key))
  const inner = new Set(rowsBelow('Sources and servers').map(([key]) => key))
  for (const key of known.keys()) {
    const [, ofTool] =
      /^(?:sources\[\]|mcpServers\.<name>)\.tools\.<name>\.([^.]+)$/.exec(key) ?? []
    const last = key.split('.').at(-1) ?? ''
    const isGrouped = /\.retry\.|^codeMode\.|\.policy\./.test(key)
    const isInner = /^approval\.[^.]+[.[]/.test(key)
    if (isInner || ['serve', 'approval', 'defaults', 'tools', 'guards'].includes(key)) continue
    if (ofTool !== undefined) expect(inner, key).toContain(ofTool)
    else if (isGrouped) expect(page, key).toContain(`\`${last}\``)
    else expect(names, key).toContain(key)
  }
})

test('the configurations of the page, and of init, are some', () => {
  const [block] = readBlocks('config').filter(({ kinds }) => kinds.includes('config'))
  for (const text of [block?.code ?? '', CONFIG_TEMPLATE]) {
    const config: unknown = parse(text, [], { allowTrailingComma: true })
    expect(fileSchema.safeParse(config).error).toBeUndefined()
  }
})
