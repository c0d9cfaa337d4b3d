import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { McpServerEntry } from '../../src/config/operator-schema.ts'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import type { CallResult } from '../../src/types/call.ts'
import { unconfinable } from '../helpers/confined.ts'
import { describeInterop, INTEROP } from '../helpers/interop.ts'
import { makeCall } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { makeFolder } from '../helpers/folders.ts'

/** What an operator writes for a server that works in the workspace. */
const WORKSPACE = {
  name: 'workspace-server',
  engine: 'process',
  confinement: 'required',
  limits: { timeoutMs: 60_000, memoryMb: 512 },
  fs: { read: ['package:/**'], write: ['workspace:/**'] },
  process: { network: 'none', pids: 64, tmpfsMb: 64 },
} as const

type Args = Readonly<Record<string, unknown>>

interface Rig {
  readonly host: ToolHost
  readonly workspace: string
  /** Tools by the names that the server gave them. */
  readonly tools: readonly string[]
  call(tool: string, args?: Args): Promise<CallResult>
}

async function wrap(
  server: string,
  given: {
    readonly args?: readonly string[]
    env?(workspace: string): Record<string, string>
  } = {},
): Promise<Rig> {
  const workspace = makeFolder('caisson-interop-ws-')
  const { host } = makeHost({
    workspace,
    stateDir: makeFolder('caisson-interop-state-'),
    profiles: [WORKSPACE],
  })
  const args = ['-y', `@modelcontextprotocol/server-${server}`]
  const places = (given.args ?? []).map((path) => join(workspace, path))
  const entry: McpServerEntry = {
    command: 'npx',
    args: [...args, ...places],
    cwd: INTEROP,
    profile: 'workspace-server',
    ...(given.env === undefined ? {} : { env: given.env(workspace) }),
  }
  const { tools } = await host.tools.load('ref', { server: entry })
  return {
    host,
    workspace,
    tools: tools.map((name) => name.replace(/^mcp__ref__/, '')).toSorted(),
    call: (tool, args = {}) => host.tools.execute(makeCall(`mcp__ref__${tool}`, args)),
  }
}

/** Calls every tool of a server once, in order, and returns what came of each. */
async function callAll(
  rig: Rig,
  calls: readonly (readonly [tool: string, args?: Args])[],
): Promise<Map<string, CallResult>> {
  expect(calls.map(([tool]) => tool).toSorted()).toEqual(rig.tools)
  const results = new Map<string, CallResult>()
  for (const [tool, args] of calls) results.set(tool, await rig.call(tool, args))
  return results
}

const failuresOf = (results: Map<string, CallResult>): string[] =>
  [...results].flatMap(([tool, { isError }]) => (isError ? [tool] : []))

const kindsOf = (result: CallResult | undefined): string[] =>
  (result?.content ?? []).map(({ type }) => type)

function describeServers(suite: () => void): void {
  const title = 'the reference servers, wrapped'
  if (unconfinable === undefined) describeInterop(title, suite)
  else describeInterop(`${title} (no sandbox here: ${unconfinable})`, () => test.skip(title))
}

describeServers(() => {
  test('everything: each tool answers, in every kind of content', { timeout: 60_000 }, async () => {
    const rig = await wrap('everything')
    const progress: number[] = []
    onTestFinished(
      rig.host.on('tools/progress', (_exec, update) => void progress.push(update.progress)),
    )
    const results = await callAll(rig, [
      ['echo', { message: 'hello' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-env'],
      ['get-resource-links', { count: 2 }],
      ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-tiny-image'],
      ['gzip-file-as-resource', { name: 'x.gz', data: 'data:text/plain,hello' }],
      ['toggle-simulated-logging'],
      ['toggle-subscriber-updates'],
      ['trigger-long-running-operation', { duration: 0.4, steps: 4 }],
      ['simulate-research-query', { topic: 'caissons' }],
    ])
    // This one is a task, and tasks are not spoken: the server says so, and nothing waits for it.
    expect(failuresOf(results)).toEqual(['simulate-research-query'])
    expect(results.get('simulate-research-query')).toMatchObject({
      error: { code: 'TOOL_ERROR', message: expect.stringContaining('requires task') },
    })
    expect(results.get('echo')?.content).toEqual([{ type: 'text', text: 'Echo: hello' }])
    expect(results.get('get-structured-content')).toMatchObject({ value: { humidity: 82 } })
    expect(kindsOf(results.get('get-annotated-message'))).toEqual(['text', 'image'])
    expect(kindsOf(results.get('get-resource-reference'))).toEqual(['text', 'resource', 'text'])
    expect(kindsOf(results.get('get-resource-links'))).toEqual([
      'text',
      'resource_link',
      'resource_link',
    ])
    expect(progress.length).toBeGreaterThan(1)
    const env = JSON.stringify(results.get('get-env')?.content)
    for (const name of Object.keys(process.env)) {
      if (!/^(PATH|HOME|LANG|TMPDIR|PWD|SHLVL|_)$/.test(name))
        expect(env).not.toContain(`"${name}\\"`)
    }
  })

  test('memory: a graph is kept in the file of the workspace that its settings name', async () => {
    const rig = await wrap('memory', {
      env: (workspace) => ({ MEMORY_FILE_PATH: join(workspace, 'memory.jsonl') }),
    })
    const relation = { from: 'A', to: 'B', relationType: 'knows' }
    const results = await callAll(rig, [
      [
        'create_entities',
        {
          entities: [
            { name: 'A', entityType: 't', observations: ['seen'] },
            { name: 'B', entityType: 't', observations: [] },
          ],
        },
      ],
      ['create_relations', { relations: [relation] }],
      ['add_observations', { observations: [{ entityName: 'A', contents: ['again'] }] }],
      ['read_graph'],
      ['search_nodes', { query: 'again' }],
      ['open_nodes', { names: ['A'] }],
      ['delete_observations', { deletions: [{ entityName: 'A', observations: ['seen'] }] }],
      ['delete_relations', { relations: [relation] }],
      ['delete_entities', { entityNames: ['B'] }],
    ])
    expect(failuresOf(results)).toEqual([])
    expect(results.get('read_graph')).toMatchObject({
      value: {
        entities: [{ observations: ['seen', 'again'] }, { name: 'B' }],
        relations: [relation],
      },
    })
    const lines = readFileSync(join(rig.workspace, 'memory.jsonl'), 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: 'entity', name: 'A', entityType: 't', observations: ['again'] },
    ])
  })

  test('filesystem: it works in the workspace, and what is secret there it does not see', async () => {
    const rig = await wrap('filesystem', { args: ['.'] })
    const at = (name: string): string => join(rig.workspace, name)
    writeFileSync(at('a.txt'), 'one\ntwo\n')
    writeFileSync(at('p.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47]))
    const results = await callAll(rig, [
      ['list_allowed_directories'],
      ['read_file', { path: '/workspace/a.txt' }],
      ['read_text_file', { path: '/workspace/a.txt', head: 1 }],
      ['read_media_file', { path: '/workspace/p.png' }],
      ['read_multiple_files', { paths: ['/workspace/a.txt', 'p.png'] }],
      ['create_directory', { path: '/workspace/new' }],
      ['write_file', { path: '/workspace/b.txt', content: 'b' }],
      ['move_file', { source: '/workspace/b.txt', destination: '/workspace/new/b.txt' }],
      ['edit_file', { path: '/workspace/a.txt', edits: [{ oldText: 'two', newText: '2' }] }],
      ['list_directory', { path: '/workspace' }],
      ['list_directory_with_sizes', { path: '/workspace' }],
      ['directory_tree', { path: '/workspace' }],
      ['search_files', { path: '/workspace', pattern: '**/*.txt' }],
      ['get_file_info', { path: '/workspace/a.txt' }],
    ])
    expect(failuresOf(results)).toEqual([])
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one\n2\n')
    expect(readFileSync(at('new/b.txt'), 'utf8')).toBe('b')
    expect(JSON.stringify(results.get('list_allowed_directories')?.content)).not.toContain(
      rig.workspace,
    )
    for (const path of ['/etc/passwd', '/workspace/../etc/passwd', '/package/package.json']) {
      expect((await rig.call('read_file', { path })).isError, path).toBe(true)
    }
  })

  test('sequential-thinking: thoughts are counted', async () => {
    const rig = await wrap('sequential-thinking')
    const thought = { thought: 't', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }
    const results = await callAll(rig, [['sequentialthinking', thought]])
    expect(failuresOf(results)).toEqual([])
    const next = { ...thought, thoughtNumber: 2, nextThoughtNeeded: false }
    expect(await rig.call('sequentialthinking', next)).toMatchObject({
      value: { thoughtHistoryLength: 2 },
    })
  })
})
