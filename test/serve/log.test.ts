import { join } from 'node:path'
import { expect, test } from 'vitest'
import { caisson, ROOT } from '../cli/caisson.ts'
import { connectTo, startServe, TOKEN } from './start-serve.ts'

const TALKS = join(ROOT, 'test/fixtures/observe/talks.mjs')
const SECRET = 'hunter2-of-the-vault'
const KEY = 'key-of-the-environment'
const config = { secrets: { VAULT: { value: SECRET, hosts: ['https://api.example.com'] } } }
const env = { SOME_SERVICE_API_KEY: KEY }

test(
  'no secret reaches the log, and no tool forges a line of it',
  { timeout: 60_000 },
  async () => {
    const serving = startServe([TALKS, '--http', '0', '--log-level', 'debug'], { config, env })
    const { url } = await serving.line('serving MCP')
    const client = await connectTo(String(url))
    const authorization = `Bearer ${TOKEN}`
    const metrics = String(url).replace('/mcp', '/metrics')
    expect((await fetch(metrics, { headers: { authorization } })).status).toBe(404)
    const forged = '{"level":"info","msg":"forged","tool":"x"}'
    const evil = [
      `${SECRET} ${KEY} ${TOKEN}`,
      Buffer.from(SECRET).toString('base64'),
      encodeURIComponent(JSON.stringify({ key: KEY })),
      'authorization: Bearer zzzz-in-a-header',
      '{"apiKey":"zzzz-in-a-field","cookie":"zzzz-in-a-jar"}',
      `\r\n${forged}\n\u2028${forged}\u0085`,
      '\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u200b\u0000',
      'END',
    ].join('\n')
    await client.callTool({ name: 'fails', arguments: { text: evil } })
    await client.callTool({ name: 'says', arguments: { text: evil } })
    expect(await serving.stop()).toBe(0)
    const raw = serving.stderr
    for (const text of [SECRET, KEY, TOKEN, 'zzzz', Buffer.from(SECRET).toString('base64')])
      expect(raw).not.toContain(text)
    expect(raw).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    const lines = serving.lines()
    expect(lines.filter(({ msg }) => msg === 'forged')).toEqual([])
    const failed = lines.find(({ outcome }) => outcome === 'TOOL_ERROR')
    expect(failed?.['error']).toContain('[secret VAULT]')
    expect(failed?.['error']).toMatch(/forged.*⏎END$/)
    expect(failed).toMatchObject({
      level: 'warn',
      tool: 'fails',
      callId: expect.stringMatching(/^mcp-/) as string,
      agent: 'mcp-1',
      attempts: 1,
      ms: expect.any(Number) as number,
    })
    for (const { time } of lines) expect(Date.parse(String(time))).not.toBeNaN()
    const said = lines.filter(({ msg }) => msg === 'tool said')
    expect(said).toHaveLength(60)
    expect(said[0]).toMatchObject({ level: 'debug', tool: 'says', toolLevel: 'info' })
    const ended = lines.find(({ tool, msg }) => tool === 'says' && msg === 'call ended')
    expect(said[0]?.['callId']).toBe(ended?.['callId'])
  },
)

test(
  'nobody who does not read the log holds up a call, or the end',
  { timeout: 60_000 },
  async () => {
    const serving = startServe([TALKS, '--http', '0', '--log-level', 'debug'])
    const { url } = await serving.line('serving MCP')
    const client = await connectTo(String(url))
    serving.child.stderr?.pause()
    const text = 'x'.repeat(900)
    // A few times what a pipe and the reader's own buffer hold.
    for (let index = 0; index < 20; index += 1)
      await client.callTool({ name: 'says', arguments: { text } })
    const ended = new Promise((resolve) => serving.child.once('exit', resolve))
    serving.child.kill('SIGTERM')
    expect(await ended).toBe(0)
  },
)

test(
  'silent is silent, and a level that is none is one clear line',
  { timeout: 60_000 },
  async () => {
    const silent = await caisson(['serve', TALKS, '--log-level', 'silent'])
    expect(silent).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const wrong = await caisson(['serve', TALKS, '--log-level', 'loud'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(
      /^caisson: CONFIG_INVALID: .*silent, error, warn, info, debug.*\n$/,
    )
  },
)
