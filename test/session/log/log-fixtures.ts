import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSessionLog } from '../../../src/session/log/open.ts'
import { parseLine } from '../../../src/session/log/parse-line.ts'
import type { SessionLog } from '../../../src/session/log/session-log.ts'
import type { SessionEventData, SessionEventType, SessionLine } from '../../../src/types/events.ts'
import { removeFolder } from '../../helpers/folders.ts'

/** A folder of its own that is gone after the test. */
export function createFolder(): { readonly path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'caisson-log-'))
  return { path, [Symbol.dispose]: () => removeFolder(path) }
}

export type LineOf<T extends SessionEventType> = Extract<SessionLine, { readonly type: T }>

/** Every valid event of a file, read independently of the reader under test. */
export function readEvents(path: string): SessionLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map(parseLine)
    .flatMap((parsed) => (parsed.kind === 'event' ? [parsed.line] : []))
}

export function ofType<T extends SessionEventType>(lines: SessionLine[], type: T): LineOf<T>[] {
  return lines.filter((line): line is LineOf<T> => line.type === type)
}

/** Appends as agent `main` in step 1 unless told otherwise. */
export function add<T extends SessionEventType>(
  log: SessionLog,
  type: T,
  data: SessionEventData[T],
  place: { agent?: string | null; step?: number | undefined } = {},
): number {
  const { agent = 'main' } = place
  const step = 'step' in place ? place.step : 1
  const event = { type, agent, data, ...(step === undefined ? {} : { step }) }
  return log.append(event as unknown as SessionLine)
}

export const TIMINGS = { queueMs: 0, prepareMs: 1, bodyMs: 2, totalMs: 3 }

export function addResult(log: SessionLog, callId: string, call: number): number {
  const content = [{ type: 'text', text: `done ${callId}` }]
  return add(log, 'tool/result', {
    callId,
    call,
    isError: false,
    content,
    attempts: [{ attempt: 1, started: true, ms: 2 }],
    timings: TIMINGS,
  })
}

export function addCall(log: SessionLog, callId: string, name: string = 'note'): number {
  return add(log, 'tool/call', { callId, name, arguments: { n: 1 } })
}

/** The code of each result, in file order. */
export function codes(lines: SessionLine[]): (string | undefined)[] {
  return ofType(lines, 'tool/result').map(({ data }) => data.error?.code)
}

export function listed(...callIds: string[]): { calls: { callId: string; name: string }[] } {
  return { calls: callIds.map((callId) => ({ callId, name: 'note' })) }
}

export function thrown(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

/** Writes with `fill`, then gives the file up as a dead process would: open items stay open. */
export function crash(
  path: string,
  fill: (log: ReturnType<typeof openSessionLog>) => void,
): string {
  const log = openSessionLog(path)
  fill(log)
  log.close()
  return readFileSync(path, 'utf8')
}
