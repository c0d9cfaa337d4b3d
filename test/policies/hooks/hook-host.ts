import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../../src/host/agent.ts'
import type { HostOptions } from '../../../src/host/spec.ts'
import type { HookDisposer } from '../../../src/host/hooks.ts'
import type { HookOptions } from '../../../src/policies/hooks/settings.ts'
import type { CallResult } from '../../../src/types/call.ts'
import type { HookInvokedData, HookResultData, SessionLine } from '../../../src/types/events.ts'
import { makeCall, makeTool } from '../../helpers/make-call.ts'
import { makeHost, type TestHost } from '../../helpers/make-host.ts'
import { createRecording, recordBody, recordLines } from '../../helpers/recording.ts'
import { removeFolder } from '../../helpers/folders.ts'

/** A host with the tool `Bash`, one agent, and hooks that are scripts in a folder of the test. */
export interface HookHost extends TestHost {
  readonly agent: Agent
  /** The workspace; removed after the test. */
  readonly folder: string
  /** Bodies that ran. */
  readonly events: string[]
  load(options: Partial<HookOptions> & Pick<HookOptions, 'settings'>): Promise<HookDisposer>
  run(name?: string, args?: unknown): Promise<CallResult>
  /** What a script wrote into the folder; undefined while it has not. */
  read(file: string): string | undefined
  invoked(): HookInvokedData[]
  ended(): HookResultData[]
}

/** Creates the host. */
export function makeHookHost(options: HostOptions = {}): HookHost {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-hooks-')))
  const made = makeHost({ workspace: folder, ...options })
  // Registered later, so run earlier: the folder outlives the host's hooks.
  onTestFinished(async () => {
    await made.host.close()
    removeFolder(folder)
  })
  const recording = createRecording()
  made.host.tools.register(recordBody(makeTool('Bash'), recording))
  const agent = made.host.openSession().agent('one')
  const lines = recordLines(agent, ['hook/invoked', 'hook/result'])
  const dataOf = <T>(type: SessionLine['type']): T[] =>
    lines.filter((line) => line.type === type).map((line) => line.data as T)
  return {
    ...made,
    agent,
    folder,
    events: recording.events,
    load: (given) => made.host.hooks.load({ dialect: 'claude-code', ...given }),
    run: (name = 'Bash', args = { command: 'ls' }) => agent.tools.execute(makeCall(name, args)),
    read(file) {
      try {
        return readFileSync(join(folder, file), 'utf8')
      } catch {
        return undefined
      }
    },
    invoked: () => dataOf('hook/invoked'),
    ended: () => dataOf('hook/result'),
  }
}

/** Writes a shell script into `folder` and gives the command line that runs it. */
export function writeScript(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return `'${path}'`
}

/** Settings with these commands at one point, under one matcher. */
export function toSettings(
  point: 'PreToolUse' | 'PostToolUse',
  commands: readonly (string | { readonly command: string; readonly timeout?: number })[],
  matcher?: string,
): object {
  const hooks = commands.map((given) => {
    const handler = typeof given === 'string' ? { command: given } : given
    return { type: 'command', ...handler }
  })
  return { hooks: { [point]: [{ ...(matcher === undefined ? {} : { matcher }), hooks }] } }
}

/** A command line that prints the value as JSON. */
export function say(value: unknown): string {
  return `printf '%s' '${JSON.stringify(value)}'`
}

/** What a PreToolUse hook prints to decide. */
export function sayPermission(decision: string, reason?: string): string {
  return say({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      ...(reason === undefined ? {} : { permissionDecisionReason: reason }),
    },
  })
}

/** Waits until `check` gives something, at most five seconds. */
export async function until<T>(check: () => T | undefined): Promise<T> {
  for (const stop = performance.now() + 5_000; performance.now() < stop;) {
    const found = check()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it did not happen within five seconds')
}

/** Whether a process of that id runs; the dead that nobody reaped do not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return process.platform !== 'linux'
  }
}
