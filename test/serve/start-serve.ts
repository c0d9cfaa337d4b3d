import { spawn, type ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { ROOT } from '../cli/caisson.ts'

export const TOKEN = 'the-token-of-this-test'
import { makeFolder } from '../helpers/folders.ts'
import { killAndWait } from '../helpers/serving.ts'

/** A running `caisson serve` that takes its token from the environment. */
export interface RunningServe {
  readonly child: ChildProcess
  /** All of standard error so far. */
  readonly stderr: string
  /** Lines of it, each parsed. Throws for one that is no JSON object. */
  lines(): Readonly<Record<string, unknown>>[]
  /** Resolves with the first log line of that message. */
  line(message: string): Promise<Readonly<Record<string, unknown>>>
  /** Ends it with SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

/** Starts it for the running test; `config` is the content of its configuration file. */
export function startServe(
  args: readonly string[],
  { config = {}, env = {} }: { readonly config?: object; readonly env?: object } = {},
): RunningServe {
  const folder = makeFolder('caisson-observed-')
  const file = join(folder, 'caisson.config.json')
  const { serve, ...rest } = config as { readonly serve?: object }
  writeFileSync(file, JSON.stringify({ ...rest, serve: { tokenEnv: 'SERVE_TOKEN', ...serve } }))
  const command = [join(ROOT, 'bin/caisson.mjs'), 'serve', '--config', file, ...args]
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], CAISSON_HOME: folder, SERVE_TOKEN: TOKEN, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  onTestFinished(() => killAndWait(child))
  const said: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => void said.push(chunk))
  const serving: RunningServe = {
    child,
    get stderr() {
      return Buffer.concat(said).toString('utf8')
    },
    lines() {
      const whole = serving.stderr.slice(0, serving.stderr.lastIndexOf('\n') + 1)
      return whole
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    async line(message) {
      const find = (): Record<string, unknown> | undefined =>
        serving.lines().find(({ msg }) => msg === message)
      await expect.poll(find, { timeout: 40_000 }).toBeDefined()
      return find() ?? {}
    },
    stop() {
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      return ended
    },
  }
  return serving
}

/** A client of the server at `url`. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const headers = { authorization: `Bearer ${TOKEN}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  )
  return client
}
