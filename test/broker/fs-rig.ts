import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createBrokers } from '../../src/broker/brokers.ts'
import { createFsBroker } from '../../src/broker/fs/broker.ts'
import { createReadBeforeEdit } from '../../src/broker/fs/gates.ts'
import type { HostPaths } from '../../src/broker/fs/reach.ts'
import { createRootFinder } from '../../src/broker/fs/roots.ts'
import { createFileScenes } from '../../src/broker/fs/scenes.ts'
import type { CapabilityContext, CapabilityRecord } from '../../src/types/capability.ts'
import type { FsGrant } from '../../src/types/profile.ts'
import { removeFolder } from '../helpers/folders.ts'

/** A workspace on disk with a folder beside it, and attempts that ask for files in it. */
export interface FsRig {
  /** The workspace; `outside` is its neighbour. */
  readonly workspace: string
  readonly outside: string
  /** Real path of a file in the workspace. */
  at(path: string): string
  put(path: string, text: string): void
  /** Another attempt; of `agent` when one is given. */
  attempt(agent?: object): Attempt
  readonly records: CapabilityRecord[]
  readonly diagnostics: string[]
}

export interface Attempt {
  ask(op: string, path: unknown, extra?: Record<string, unknown>): Promise<Record<string, unknown>>
  /** `ok`, the code of the refusal, or the code of the failure after `failed `. */
  outcome(op: string, path: unknown, extra?: Record<string, unknown>): Promise<string>
  read(path: string): Promise<string>
  write(path: unknown, text: string, extra?: Record<string, unknown>): Promise<string>
  settle(): void
}

export interface FsRigOptions extends Partial<FsGrant> {
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>
  /** Files of the tool's package. */
  readonly shipped?: Readonly<Record<string, string>>
  readonly hostPaths?: (workspace: string) => HostPaths
}

const EXTRAS: Readonly<Record<string, Record<string, unknown>>> = {
  readdir: { recursive: false },
  mkdir: { recursive: false },
  rm: { recursive: false, force: false },
  access: { mode: 0 },
}

/** Creates the folders of the running test; they go when it ends. */
export function createFsRig(options: FsRigOptions = {}): FsRig {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-fs-')))
  onTestFinished(() => removeFolder(folder))
  const [workspace, outside, shipped] = ['root', 'outside', 'shipped'].map((name) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }) as [string, string, string]
  const fill = (root: string, files: Readonly<Record<string, string>> = {}): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
  }
  fill(workspace, options.files)
  fill(shipped, options.shipped)
  fill(outside, { 'canary.txt': 'canary' })
  const hostPaths = options.hostPaths?.(workspace) ?? { hidden: [], readOnly: [] }
  const scenes = createFileScenes({
    gates: createReadBeforeEdit(),
    rootOf: createRootFinder(workspace),
    hostPaths: () => hostPaths,
  })
  const broker = createFsBroker(scenes)
  const records: CapabilityRecord[] = []
  const diagnostics: string[] = []
  const brokers = createBrokers({
    capabilities: new Map([['fs', broker]]),
    diagnose: (text) => void diagnostics.push(text),
  })
  const { read = ['workspace:/**', 'package:/**'], write = ['workspace:/**'] } = options
  const { maxBytes = 1024 * 1024 } = options
  // Grants are one object for all attempts, as they are for the calls of one tool.
  const fs: FsGrant = { read, write, maxBytes }
  const live = new Set<AbortController>()
  onTestFinished(() => {
    for (const controller of live) controller.abort()
  })
  const attempt = (agent?: object): Attempt => {
    const controller = new AbortController()
    live.add(controller)
    const context: CapabilityContext = {
      callId: 'c',
      tool: 't',
      ...(agent === undefined ? {} : { agent: agent as { id: string } }),
      grants: { fs, secrets: {}, calls: 1_000_000, source: 's', packageRoot: shipped },
      placeholders: new Map(),
      signal: controller.signal,
      record: (entry) => void records.push(entry),
    }
    const ask: Attempt['ask'] = async (op, path, extra = {}) => {
      const payload = { op, path, ...EXTRAS[op], ...extra }
      return (await brokers.request(context, 'fs', payload as never)) as never
    }
    const outcome: Attempt['outcome'] = async (op, path, extra) => {
      try {
        const { failed } = await ask(op, path, extra)
        return failed === undefined ? 'ok' : `failed ${String(Reflect.get(Object(failed), 'code'))}`
      } catch (error) {
        return String(Reflect.get(Object(error), 'code'))
      }
    }
    return {
      ask,
      outcome,
      read: async (path) =>
        Buffer.from(String((await ask('readFile', path))['data']), 'base64').toString(),
      write: (path, text, extra) =>
        outcome('writeFile', path, { data: Buffer.from(text).toString('base64'), ...extra }),
      settle: () => controller.abort(),
    }
  }
  return {
    workspace,
    outside,
    at: (path) => join(workspace, path),
    put: (path, text) => fill(workspace, { [path]: text }),
    attempt,
    records,
    diagnostics,
  }
}
