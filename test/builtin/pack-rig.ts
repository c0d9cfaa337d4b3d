import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LoadOptions } from '../../src/host/load.ts'
import type { HostOptions } from '../../src/host/spec.ts'
import type { Agent } from '../../src/host/agent.ts'
import type { Session } from '../../src/host/session.ts'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import type { CallResult } from '../../src/types/call.ts'
import { makeCall } from '../helpers/make-call.ts'
import { makeHost } from '../helpers/make-host.ts'
import { removeFolder } from '../helpers/folders.ts'

/** A workspace of its own with the pack in a host. */
export interface PackRig {
  readonly host: ToolHost
  readonly workspace: string
  readonly session: Session
  readonly agent: Agent
  readonly diagnostics: string[]
  put(path: string, text: string): void
  get(path: string): string
  call(name: string, args: unknown, agent?: Agent | null): Promise<CallResult>
  /** What the session log holds, of one type. */
  events(type: string): { readonly data: Record<string, unknown> }[]
}

/** Creates the rig for the running test. */
export async function makePack(
  load: LoadOptions = {},
  options: HostOptions = {},
): Promise<PackRig> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-pack-')))
  const logs = mkdtempSync(join(tmpdir(), 'caisson-pack-log-'))
  onTestFinished(() => {
    removeFolder(workspace)
    removeFolder(logs)
  })
  const { host, diagnostics } = makeHost({ workspace, ...options })
  await host.tools.load('builtin', load)
  const log = join(logs, 'session.jsonl')
  const session = host.openSession({ log, cards: true })
  const main = session.agent('main')
  return {
    host,
    workspace,
    session,
    agent: main,
    diagnostics,
    put: (path, text) => writeFileSync(join(workspace, path), text),
    get: (path) => readFileSync(join(workspace, path), 'utf8'),
    call(name, args, agent = main) {
      const input = makeCall(name, args)
      return agent === null ? host.tools.execute(input) : agent.tools.execute(input)
    },
    events: (type) =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> })
        .filter((line) => line.type === type),
  }
}
