import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../cli/caisson.ts'
import { makeFolder } from '../helpers/folders.ts'

test('serve asks its client, and tells it progress, only where the configuration lets it', async () => {
  const folder = makeFolder('caisson-client-')
  const config = join(folder, 'c.json')
  // A client forgets who waits for progress once it has the result.
  const rest = "await new Promise((resolve) => setTimeout(resolve, 300)); return 'done'"
  const body = `(args, { progress }) => { progress({ progress: 1, total: 2 }); ${rest} }`
  const schema = "export const parameters = { type: 'object' }; export const name = 'tells'"
  writeFileSync(join(folder, 'tells.mjs'), `${schema}; export default async ${body}`)
  const write = (isOn: boolean): void => {
    const settings = {
      sources: ['builtin', 'tells.mjs'],
      approval: { answerers: { mcp: { enabled: isOn } } },
      serve: { progress: isOn },
    }
    writeFileSync(config, JSON.stringify(settings))
  }
  write(false)
  let asked = 0
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { elicitation: { form: {} } } },
  )
  onTestFinished(() => client.close())
  client.setRequestHandler('elicitation/create', () => {
    asked += 1
    return { action: 'decline' }
  })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, 'bin/caisson.mjs'), 'serve', '--config', config, '--workspace', folder],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', CAISSON_HOME: join(folder, 'state') },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await client.connect(transport)
  const look = async (): Promise<{ asked: number; told: number }> => {
    asked = 0
    let told = 0
    const line = { command: 'curl -s http://127.0.0.1:9/' }
    const refused = await client.callTool({ name: 'bash', arguments: line })
    expect(refused.isError).toBe(true)
    await client.callTool({ name: 'tells', arguments: {} }, { onprogress: () => void (told += 1) })
    return { asked, told }
  }
  expect(await look()).toEqual({ asked: 0, told: 0 })
  write(true)
  process.kill(transport.pid ?? 0, 'SIGHUP')
  await expect.poll(() => said, { timeout: 20_000 }).toContain('was loaded again')
  expect(said).not.toContain('next start')
  expect(await look()).toEqual({ asked: 1, told: 1 })
}, 60_000)
