import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { makeFolder } from './folders.ts'

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))
export const BIN: string = join(ROOT, 'bin/caisson.mjs')

/** `caisson serve --http` with what a client has to know. */
export interface Serving {
  readonly url: string
  readonly token: string
  readonly child: ChildProcess
  /** What it has printed. */
  said(): string
}

/** Ends a process, if it still runs, and waits until it is gone: what it writes to may be removed then. */
export async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Starts `caisson serve` on a free port; killed when the running test ends. */
export async function serveHttp(args: readonly string[], state?: string): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, 'serve', ...args, '--http', '0'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], CAISSON_HOME: state ?? makeFolder('caisson-serving-') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => killAndWait(child))
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said, { timeout: 20_000 }).toMatch(/bearer token \S+\n/)
  const [, url = ''] = /serving MCP at (\S+)/.exec(said) ?? []
  const [, token = ''] = /bearer token (\S+)/.exec(said) ?? []
  return { url, token, child, said: () => said }
}
