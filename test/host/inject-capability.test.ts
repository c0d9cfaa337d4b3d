import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineTool } from '../escape/attack.ts'
import { makeCall, toSuccess } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { makeFolder } from '../helpers/folders.ts'

const writeTool = (body: string): string => {
  const folder = makeFolder('caisson-inject-')
  const file = join(folder, 'tool.mjs')
  writeFileSync(file, defineTool('tells', body))
  return file
}

test('a notice of a sandboxed body reaches its agent, from the tool whatever it says', async () => {
  const { host } = makeHost()
  await host.tools.load(
    writeTool(`
      await exec.agent.inject({ content: 'seen', source: { kind: 'user' }, extra: 1 })
      return Promise.all([{}, { content: 5, source: { kind: 'x' } }, 'text', { content: () => 1 }].map(
        (notice) => exec.agent.inject(notice).then(() => 'ok', (e) => e.code)))
    `),
  )
  const agent = host.openSession().agent('a')
  const result = toSuccess(await agent.tools.execute(makeCall('tells')))
  expect(result.value).toEqual(Array.from({ length: 4 }, () => 'INVALID_ARGS'))
  expect(agent.takeNotices()).toEqual([
    { content: 'seen', source: { kind: 'plugin', plugin: 'tells' }, extra: 1 },
  ])
})

test('values that a thread tool keeps are its own', async () => {
  const { host } = makeHost({ profiles: [{ name: 'keeping', engine: 'thread', kv: {} }] })
  const body = `
    await exec.kv.set('n', ((await exec.kv.get('n')) ?? 0) + 1)
    return [await exec.kv.get('n'), await exec.kv.get('').catch((e) => e.code)]
  `
  await host.tools.load(writeTool(body), { profile: 'keeping' })
  await host.tools.execute(makeCall('tells'))
  expect(toSuccess(await host.tools.execute(makeCall('tells'))).value).toEqual([2, 'INVALID_ARGS'])
})
