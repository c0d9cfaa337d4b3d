import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { toSuccess } from '../helpers/make-call.ts'
import { describeConfined } from '../helpers/confined.ts'
import { makePack, type PackRig } from './pack-rig.ts'

const CAISSON = fileURLToPath(new URL('../../bin/caisson.mjs', import.meta.url))

function putRepository({ workspace }: PackRig): void {
  mkdirSync(join(workspace, 'src'))
  const put = (path: string, text: string): void => writeFileSync(join(workspace, path), text)
  put('package.json', '{ "type": "module", "scripts": { "test": "node --test" } }\n')
  put('src/sum.js', 'export const sum = (a, b) => a - b\n')
  put(
    'src/sum.test.js',
    `import assert from 'node:assert'
import test from 'node:test'
import { sum } from './sum.js'
test('adds', () => assert.equal(sum(1, 2), 3))
`,
  )
}

async function servePage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>Adding</title><p>Use plus.</p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describeConfined('an agent at work', () => {
  test('finds, reads up, mends and tests, and its session can be looked at afterwards', async () => {
    const origin = await servePage()
    const rig = await makePack({ config: { fetch: { allow: [origin] } } })
    putRepository(rig)
    const { agent, session } = rig
    const broken = await agent.step([
      { callId: '1', name: 'bash', arguments: { command: 'node --test src/' } },
      { callId: '2', name: 'search', arguments: { pattern: 'sum =' } },
      { callId: '3', name: 'read', arguments: { file_path: 'src/sum.js' } },
      { callId: '4', name: 'web_fetch', arguments: { url: origin } },
    ])
    const [run, found, , page] = broken.results.map(toSuccess)
    expect(run?.value).toMatchObject({ exitCode: 1 })
    expect(found?.value).toMatchObject({ files: [{ path: 'workspace:/src/sum.js' }] })
    expect(page?.value).toMatchObject({ title: 'Adding' })
    const mended = await agent.step([
      {
        callId: '5',
        name: 'edit',
        arguments: { file_path: 'src/sum.js', old_string: 'a - b', new_string: 'a + b' },
      },
      { callId: '6', name: 'bash', arguments: { command: 'node --test src/' } },
    ])
    expect(toSuccess(mended.results[1] as never).value).toMatchObject({ exitCode: 0 })
    expect(rig.get('src/sum.js')).toBe('export const sum = (a, b) => a + b\n')
    await session.close()
    const shown = spawnSync(process.execPath, [CAISSON, 'replay', session.log ?? ''], {
      encoding: 'utf8',
      env: { NO_COLOR: '1' },
    })
    expect(shown.status).toBe(0)
    expect(shown.stdout).toContain('+export const sum = (a, b) => a + b')
    expect(shown.stdout).toContain('$ node --test src/')
  })

  test('one program drives ten calls of the tools, each recorded', async () => {
    const rig = await makePack()
    putRepository(rig)
    rig.agent.tools.presentAs('code')
    const code = `
      const { entries } = await tools.list({ path: 'src' })
      const files = entries.map(({ name }) => 'src/' + name)
      const texts = await Promise.all(files.map((file_path) => tools.read({ file_path })))
      await tools.edit({ file_path: 'src/sum.js', old_string: '-', new_string: '+' })
      await tools.write({ file_path: 'NOTES.md', content: texts.length + ' files\\n' })
      const { files: found } = await tools.search({ pattern: 'files', glob: '*.md' })
      await tools.todo_write({ todos: [{ content: 'mend', status: 'completed' }] })
      const { patches } = { patches: [{ file_path: 'LOG', operation: 'create', content: 'x' }] }
      await tools.apply_patch({ patches })
      const { exitCode } = await tools.bash({ command: 'node --test src/' })
      const denied = await tools.read({ file_path: '../outside' }).catch((e) => e.toolName)
      return { exitCode, found: found.length, denied }`
    const call = rig.call('run_code', { code, description: 'mend it' })
    expect(toSuccess(await call).value).toMatchObject({
      result: { exitCode: 0, found: 1, denied: 'read' },
    })
    expect(rig.events('tool/code-dispatch')).toHaveLength(10)
    expect(rig.events('tool/call')).toHaveLength(1)
    expect(readFileSync(join(rig.workspace, 'NOTES.md'), 'utf8')).toBe('2 files\n')
  })
})
