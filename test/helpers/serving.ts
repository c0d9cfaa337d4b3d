import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'

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

/** A folder that goes when the running test ends. */
export function makeFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts `caisson serve` on a free port; killed when the running test ends. */
export async function serveHttp(args: readonly string[], state?: string): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, 'serve', ...args, '--http', '0'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], CAISSON_HOME: state ?? makeFolder('caisson-serving-') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await expect.poll(() => said, { timeout: 20_000 }).toMatch(/bearer token \S+\n/)
  const [, url = ''] = /serving MCP at (\S+)/.exec(said) ?? []
  const [, token = ''] = /bearer token (\S+)/.exec(said) ?? []
  return { url, token, child, said: () => said }
}
