import type { Duplex, Readable } from 'node:stream'
import { spawnProcess, type ConfinedProcess, type ProgramSpec } from './confined-process.ts'
import {
  giveTheWord,
  STARTED_FD,
  STARTED_FD_BESIDE_CHANNEL,
  toInitScript,
  type ResourceLimits,
} from './init-script.ts'
import { createMark } from './orphans.ts'
import { killGroup, untilGroupGone } from './process-group.ts'
import { childrenOf, sendSignal } from './process-tree.ts'

/** A program that runs as the host's own user, with all of its files and its network. */
export interface UnconfinedSpec extends ProgramSpec {
  readonly cwd: string
  readonly limits: ResourceLimits
}

const DEATH_MS = 1_000

/**
 * Starts a program that nothing confines, in a process group of its own: what leaves the group is not
 * ended with it. For operators who asked for exactly that. Never throws.
 */
export function startUnconfined(spec: UnconfinedSpec): ConfinedProcess {
  const at = spec.hasChannel ? STARTED_FD_BESIDE_CHANNEL : STARTED_FD
  const script = toInitScript(spec.limits, { startedFd: at, strayFds: [], mark: createMark() })
  const command = ['/bin/sh', '-c', script, 'sh', ...spec.argv] as const
  const more = Array<'pipe'>(spec.hasChannel ? 2 : 1).fill('pipe')
  const child = spawnProcess(command, { ...spec, more, detached: true })
  const { pid, streams } = child
  let ended = false
  const kill = (): void => {
    if (pid !== undefined) killGroup(pid)
  }
  const exit = child.exit.then(async ({ end }) => {
    kill() // What the program left behind.
    if (pid !== undefined) await untilGroupGone(pid, DEATH_MS)
    ended = true
    return end
  })
  return {
    pid,
    root: pid,
    stdin: spec.hasStdin ? streams[0] : undefined,
    stdout: streams[1] as Readable,
    stderr: streams[2] as Readable,
    channel: spec.hasChannel ? streams[3] : undefined,
    door: child.door,
    started: giveTheWord(streams[at] as Duplex),
    ended: exit,
    get hasEnded() {
      return ended
    },
    terminate() {
      const [leader] = pid === undefined ? [] : childrenOf(pid)
      if (leader !== undefined) sendSignal(leader, 'SIGTERM')
    },
    kill,
  }
}
