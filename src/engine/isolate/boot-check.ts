import { createHash } from 'node:crypto'
import { mkdirSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Cgroup, Cgroups } from '../../sandbox/cgroup.ts'
import { startRunnerChild } from './runner-child.ts'
import type { RunnerLaunch } from './runner-launch.ts'

/** Which limits of the kernel have been seen to end a runner that passed them, on this boot. */
export interface BootCheck {
  /** `RLIMIT_DATA`. */
  readonly data: boolean
  /** A cgroup's memory; false where there are no cgroups. */
  readonly group: boolean
}

export interface BootCheckSpec {
  readonly cgroups: Cgroups | undefined
  /** Ends it early. */
  readonly signal: AbortSignal
  /** Where results are kept; default a folder of the user's own among the temporary files. */
  readonly folder?: string
}

const MB = 1024 * 1024
const RUN_MS = 5_000
const GROUP_BYTES = 96 * MB
const ASKED_MB = 400
/** Interpreted: the smallest limit there is, so that little has to be taken to pass it. */
const SMALL: RunnerLaunch = {
  memoryMb: 8,
  jit: false,
  isolates: 1,
  kernelLimits: 'preferred',
  walls: undefined,
}
/** The same without a limit that comes before the group's. */
const WIDE: RunnerLaunch = { ...SMALL, memoryMb: 1_024 }
const TAKE = `process.stdout.write('began'); const kept = []
  for (let n = 0; n < ${ASKED_MB / 10}; n++) kept.push(Buffer.alloc(1e7, 1))
  process.stdout.write(' had')`
const schema = z.strictObject({ data: z.boolean(), group: z.boolean() })

/**
 * Lets small runners take more than they may, and says which limits ended them. What was seen once
 * holds for the same kernel, boot, Node and place for groups, and is read from a file the next time.
 * Rejects when it is ended early; no process of it is left then.
 */
export async function checkBoot(spec: BootCheckSpec): Promise<BootCheck> {
  const folder = spec.folder ?? join(tmpdir(), `caisson-${process.getuid?.() ?? 'user'}`)
  const file = join(folder, `boot-${keyOf(spec)}.json`)
  const known = readResult(folder, file)
  if (known !== undefined) return known
  const [data, group] = await Promise.all([seesData(spec), seesGroup(spec)])
  spec.signal.throwIfAborted()
  const found = { data, group }
  writeResult(folder, file, found)
  return found
}

async function seesData({ signal }: BootCheckSpec): Promise<boolean> {
  if (process.platform !== 'linux') return false
  return isEnded(await take(SMALL, signal))
}

async function seesGroup({ cgroups, signal }: BootCheckSpec): Promise<boolean> {
  if (cgroups === undefined) return false
  try {
    const group = cgroups.create({ memoryBytes: GROUP_BYTES, pids: 64, cpu: false })
    const said = await take(WIDE, signal, group)
    const killed = group.oomKills() > 0
    await group.remove()
    return isEnded(said) && killed
  } catch {
    return false // A place that makes no group holds nobody.
  }
}

// What never began was not ended by a limit.
function isEnded(said: string): boolean {
  return said === 'began'
}

async function take(launch: RunnerLaunch, signal: AbortSignal, group?: Cgroup): Promise<string> {
  const child = startRunnerChild({ code: TAKE, launch, args: [], group })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.resume()
  const stop = (): void => child.kill()
  const timer = setTimeout(stop, RUN_MS)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  await child.ended
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  return said
}

function keyOf({ cgroups }: BootCheckSpec): string {
  const facts = [readBoot(), release(), process.version, process.execPath, cgroups?.version ?? 0]
  return createHash('sha256').update(facts.join('\0')).digest('hex').slice(0, 32)
}

function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return '' // Then what was seen holds until the system is another one.
  }
}

// A file that somebody else may have put there says nothing.
function readResult(folder: string, file: string): BootCheck | undefined {
  try {
    const { uid, mode } = lstatSync(folder)
    if (uid !== process.getuid?.() || (mode & 0o77) !== 0) return undefined
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

function writeResult(folder: string, file: string, found: BootCheck): void {
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true })
    if (lstatSync(folder).uid !== process.getuid?.()) return
    const half = `${file}.${process.pid}`
    writeFileSync(half, JSON.stringify(found), { mode: 0o600, flag: 'wx' })
    renameSync(half, file)
  } catch {
    // The next host looks again.
  }
}
