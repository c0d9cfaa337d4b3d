import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseOne } from '../../src/cli/load-target.ts'
import { resolveTarget } from '../../src/cli/target.ts'
import { makeFolder } from '../helpers/folders.ts'

const config = 'c.json'
const tools = 'builtin'

function makeWorkspace(): string {
  const folder = makeFolder('caisson-target-')
  mkdirSync(join(folder, 'here'))
  return folder
}

test.each([
  [
    'a name of the configuration',
    { source: 'x', config },
    { isConfigured: true, sources: [], tool: 'x' },
  ],
  ['nothing but the configuration', { config }, { isConfigured: true, sources: [] }],
  [
    'a name beside a pack',
    { source: 'x', tools, config },
    { isConfigured: true, sources: [tools], tool: 'x' },
  ],
  ['a pack alone', { tools, config }, { isConfigured: false, sources: [tools] }],
  [
    'a name of the pack',
    { source: 'x', tools },
    { isConfigured: false, sources: [tools], tool: 'x' },
  ],
  [
    'a source and a tool',
    { source: 'x', tool: 'y', config },
    { isConfigured: false, sources: ['x'], tool: 'y' },
  ],
  ['a file', { source: 'x.mjs', config }, { isConfigured: false, sources: ['x.mjs'] }],
  ['a path', { source: './x', config }, { isConfigured: false, sources: ['./x'] }],
  ['a server', { source: 'mcp:node x', config }, { isConfigured: false, sources: ['mcp:node x'] }],
  ['the pack as a source', { source: tools, config }, { isConfigured: false, sources: [tools] }],
  ['what is there', { source: 'here', config }, { isConfigured: false, sources: ['here'] }],
  ['what is there, without one', { source: 'here' }, { isConfigured: false, sources: ['here'] }],
])('resolveTarget() takes %s for what it is', (_what, given, target) => {
  const options = { source: undefined, tool: undefined, ...given }
  expect(resolveTarget('run', options, makeWorkspace())).toEqual(target)
})

test('resolveTarget() refuses nothing, and a name that nothing could have', () => {
  const none = { source: undefined, tool: undefined }
  expect(() => resolveTarget('run', none, '.')).toThrow(
    'run: name a source, --tools builtin or --config',
  )
  const name = { ...none, source: 'nowhere' }
  expect(() => resolveTarget('run', name, '.')).toThrow('the name of a tool goes with --config')
})

test('chooseOne() names the tool that is meant, or those that are there', () => {
  const loaded = { loaded: [], tools: ['first_tool', 'second_tool'], shown: config }
  const choose = (tool?: string): string =>
    chooseOne(loaded, { isConfigured: true, sources: [], ...(tool === undefined ? {} : { tool }) })
  expect(choose('second_tool')).toBe('second_tool')
  expect(() => choose('first_tol')).toThrow(
    "there is no tool 'first_tol' in c.json, and no such file; did you mean 'first_tool'?",
  )
  expect(() => choose('zzz')).toThrow('no such file; it has: first_tool, second_tool')
  expect(() => choose()).toThrow('c.json has 2 tools; name one of: first_tool, second_tool')
})
