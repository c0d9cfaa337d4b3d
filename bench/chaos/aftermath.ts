import { setTimeout as sleep } from 'node:timers/promises'
import type { ToolHost } from '../../src/index.ts'
import { listFamily } from './family.ts'

/** What a healthy host never lets this process see. */
export interface Faults {
  readonly seen: readonly string[]
  stop(): void
}

const EVENTS = ['unhandledRejection', 'uncaughtException', 'warning'] as const
const STILL_MS = 150
const LONGEST_REST_MS = 5_000
const GONE_MS = 2_000

/** Collects rejections nobody waits for, exceptions nobody catches, and warnings of Node. */
export function watchFaults(): Faults {
  const seen: string[] = []
  const listeners = EVENTS.map((event) => {
    const hear = (what: unknown): void => void seen.push(`host harmed: ${event}: ${String(what)}`)
    process.on(event, hear)
    return { event, hear }
  })
  return {
    seen,
    stop() {
      for (const { event, hear } of listeners) process.off(event, hear)
    },
  }
}

/** Resolves once the host's children and handles have not changed for a moment, or after five seconds. */
export async function comeToRest(host: ToolHost): Promise<void> {
  const begun = performance.now()
  let last = ''
  let since = begun
  while (performance.now() - since < STILL_MS && performance.now() - begun < LONGEST_REST_MS) {
    const now = `${host.childPids().join()} ${process.getActiveResourcesInfo().length}`
    if (now !== last) since = performance.now()
    last = now
    await sleep(25)
  }
}

/** What is left of a host that was closed: children, handles. One line each. */
export async function findLeftovers(
  pids: readonly number[],
  handlesBefore: number,
): Promise<string[]> {
  const look = (): string[] => [
    ...[...new Set([...pids.filter(isThere), ...listFamily()])].map(
      (pid) => `left behind: process ${pid}`,
    ),
    ...(process.getActiveResourcesInfo().length <= handlesBefore
      ? []
      : [`left behind: ${process.getActiveResourcesInfo().join(', ')}`]),
  ]
  const begun = performance.now()
  while (look().length > 0 && performance.now() - begun < GONE_MS) await sleep(25)
  return look()
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
