import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { removeFolder } from '../helpers/folders.ts'

/** What one run of the command line gave. */
export interface CliRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly pid: number
}

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url))
const BIN = fileURLToPath(new URL('../../bin/caisson.mjs', import.meta.url))

// What is decided during tests is no history of the person who runs them.
const STATE = mkdtempSync(join(tmpdir(), 'caisson-cli-state-'))
afterAll(() => removeFolder(STATE))

/** Runs `caisson` as a child process, by default in the repository's folder and with state of its own. */
export async function caisson(
  args: readonly string[],
  input: string = '',
  state: string = STATE,
  cwd: string = ROOT,
): Promise<CliRun> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...pick('PATH'),
      ...pick('NODE_COMPILE_CACHE'),
      NO_COLOR: '1',
      CAISSON_HOME: state,
    },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr, pid: child.pid ?? 0 }
}

function pick(name: string): Record<string, string> {
  const value = process.env[name]
  return value === undefined ? {} : { [name]: value }
}

/** The one object that `--json` promises; fails when there is more or less. */
export function onlyObject(run: CliRun): Record<string, unknown> {
  const lines = run.stdout.trimEnd().split('\n')
  if (lines.length !== 1) throw new Error(`stdout has ${lines.length} lines: ${run.stdout}`)
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>
}
