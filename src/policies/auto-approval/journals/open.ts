import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CaissonError } from '../../../errors/caisson-error.ts'
import { takeLock } from '../../../session/log/lock.ts'
import { readText } from './read-text.ts'
import { createFileStore, type AuditStore } from './store.ts'

/** The folder of an approval journal, opened for one writer. */
export interface JournalFolder {
  readonly path: string
  readonly store: AuditStore
  /** Whether `history.jsonl` is ours to write. */
  readonly ownsHistory: boolean
  /** Keyed digest; the key never leaves the folder. */
  digest(text: string): string
  release(): void
}

export interface FolderOptions {
  readonly stateDir: string
  /** `run`: a file of its own and no lock, for a command that makes one call. */
  readonly kind: 'shared' | 'run'
  readonly id: string
  readonly sync: 'data' | 'none'
}

const KEPT_RUNS = 200
const RUN_FILE = /^run-[\w-]+\.jsonl$/

/**
 * Opens `<stateDir>/approval`. Throws `CONFIG_INVALID` when it cannot be used, or when another host
 * writes there already.
 */
export function openJournalFolder(options: FolderOptions): JournalFolder {
  const path = join(options.stateDir, 'approval')
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    const key = loadKey(join(path, 'hmac.key'))
    const release = options.kind === 'shared' ? lock(path) : () => undefined
    if (options.kind === 'run') removeOldRuns(path)
    const name = options.kind === 'shared' ? 'audit.jsonl' : `run-${options.id}.jsonl`
    return {
      path,
      store: createFileStore(join(path, name), options),
      ownsHistory: options.kind === 'shared',
      digest: (text) => createHmac('sha256', key).update(text).digest('hex'),
      release,
    }
  } catch (error) {
    if (error instanceof CaissonError) throw error
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const text = `stateDir: ${path} cannot be used for the approval journal: ${code}; name another folder`
    throw new CaissonError('CONFIG_INVALID', text, { path, errno: code }, { cause: error })
  }
}

function lock(folder: string): () => void {
  const attempt = takeLock(join(folder, 'lock'))
  if (attempt.kind === 'held') return () => attempt.release()
  const who = attempt.owner === undefined ? 'another host' : `process ${attempt.owner.pid}`
  const text = `stateDir: ${folder} is written by ${who}; give each host a state folder of its own`
  throw new CaissonError('CONFIG_INVALID', text, { path: folder })
}

// Of two commands that start at once one writes the key; both read the same.
function loadKey(path: string): Buffer {
  const draft = `${path}.${randomUUID()}.new`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const key = Buffer.from(readText(path)?.trim() ?? '', 'hex')
  if (key.length === 32) return key
  const text = `${path} holds no key; remove it and a new one is made`
  throw new CaissonError('CONFIG_INVALID', text, { path })
}

function removeOldRuns(folder: string): void {
  const runs = readdirSync(folder).filter((name) => RUN_FILE.test(name))
  if (runs.length < KEPT_RUNS) return
  const aged = runs
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { name } of aged.slice(KEPT_RUNS - 1)) rmSync(join(folder, name), { force: true })
}
