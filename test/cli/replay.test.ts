import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { drawLine } from '../../src/cards/draw-line.ts'
import { replaySession } from '../../src/cli/replay.ts'
import { openSessionLog } from '../../src/session/log/open.ts'
import type { SessionEventData, SessionEventType, SessionLine } from '../../src/types/events.ts'
import { removeFolder } from '../helpers/folders.ts'

const OPTIONS = { width: 80, color: false }
const TIMINGS = { queueMs: 0, prepareMs: 0, bodyMs: 0, totalMs: 5 }

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'caisson-replay-'))
  path = join(folder, 's.jsonl')
})
afterEach(() => removeFolder(folder))

type Add = <T extends SessionEventType>(
  place: { agent: string | null; step?: number },
  type: T,
  data: SessionEventData[T],
) => number

/** Records a session and returns its lines as a live observer got them. */
function record(fill: (add: Add) => void): SessionLine[] {
  const seen: SessionLine[] = []
  using log = openSessionLog(path, { observe: (line) => seen.push(line) })
  fill((place, type, data) => log.append({ ...place, type, data } as never))
  return seen
}

function replay(options: { json?: boolean } = {}): { text: string; notes: string[] } {
  const rows: string[] = []
  const notes: string[] = []
  const out = { line: (row: string) => rows.push(row), note: (row: string) => notes.push(row) }
  expect(replaySession(path, { ...OPTIONS, ...options, out })).toBe(0)
  return { text: rows.join('\n'), notes }
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z ─*/g, 'TIME')
}

const one = { agent: 'one', step: 1 }
const two = { agent: 'two', step: 2 }
const content = [{ type: 'text', text: 'done' }]
const ended = { isError: false, content, attempts: [], timings: TIMINGS }

/** Two agents at once, one call outside a step, cards on some calls. */
function fillSession(add: Add): void {
  add(one, 'step/start', { calls: [{ callId: 'a', name: 'edit' }] })
  add(two, 'step/start', { calls: [{ callId: 'b', name: 'note' }] })
  const card = { card: 'diff', title: 'Edit x', diffs: [{ path: 'x', oldText: 'p', newText: 'q' }] }
  const a = add(one, 'tool/call', { callId: 'a', name: 'edit', arguments: {}, card: card as never })
  const b = add(two, 'tool/call', { callId: 'b', name: 'note', arguments: { n: 1 } })
  add(one, 'approval/asked', { id: 'q', toolName: 'edit', callId: 'a', reason: 'writes a file' })
  add(one, 'approval/decided', { id: 'q', outcome: 'allowed-once' })
  const lone = add({ agent: null }, 'tool/call', { callId: 'l', name: 'lone', arguments: null })
  add(two, 'tool/result', { callId: 'b', call: b, ...ended })
  add({ agent: null }, 'tool/result', { callId: 'l', call: lone, ...ended })
  const shown = { card: 'generic', title: 'Edited x' } as const
  add(one, 'tool/result', { callId: 'a', call: a, ...ended, card: shown })
  add(one, 'context/message', { message: { content: 'remember x' }, from: 'result', callId: 'a' })
  add(one, 'step/end', { results: 1 })
  add(two, 'step/end', { results: 1 })
  add({ agent: 'one' }, 'context/message', { message: { content: 'later' }, from: 'inject' })
}

test('CARD-03 replaySession() draws a session by step and agent, from its log alone', () => {
  record(fillSession)
  const before = readFileSync(path)
  expect(withoutTimes(replay().text)).toBe(`── no agent · TIME
◌ lone
✔ lone · 5 ms
│ done

── agent one · step 1 · TIME
◌ Edit x
│ x +1 -1
│ @@ -1,1 +1,1 @@
│ -p
│ \\ No newline at end of file
│ +q
│ \\ No newline at end of file
? approval asked for edit
│ writes a file
! approval allowed-once
✔ Edited x · 5 ms
│ done
✉ context · a
│ remember x

── agent two · step 2 · TIME
◌ note
│ {"n":1}
✔ note · 5 ms
│ done

── agent one · TIME
✉ notice
│ later
`)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('CARD-03 live and replayed cards are equal', () => {
  const lines = record(fillSession)
  const { text } = replay()
  const calls = new Map(
    lines.flatMap((line) => (line.type === 'tool/call' ? [[line.seq, line.data]] : [])),
  )
  for (const line of lines) {
    const call = line.type === 'tool/result' ? calls.get(line.data.call) : undefined
    const live = drawLine(line, call, OPTIONS)
    if (live.length > 0) expect(text).toContain(`${live.join('\n')}\n`)
  }
})

test('replaySession() shows what a repair added, and what is still open without one', () => {
  record((add) => {
    add(one, 'step/start', { calls: [{ callId: 'a', name: 'edit' }] })
    add(one, 'tool/call', { callId: 'a', name: 'edit', arguments: {} })
  })
  expect(replay().text).toMatch(/◌ edit\n\(unfinished; .*\)\n$/)
  openSessionLog(path).close()
  const { text } = replay()
  expect(text).toContain(
    '✘ edit · TOOL_OUTCOME_UNKNOWN · added by repair\n│ Error: the host stopped',
  )
  expect(text).toContain('step 1 · ')
  expect(text).toContain(' · aborted')
})

test('replaySession() as JSON prints one object with a card for every call and result', () => {
  record(fillSession)
  writeFileSync(path, 'torn', { flag: 'a' })
  const { steps, skipped } = JSON.parse(replay({ json: true }).text)
  expect(skipped).toEqual([{ line: 15, reason: 'not JSON' }])
  expect(steps).toMatchObject([
    { agent: null, ended: true },
    { agent: 'one', step: 1, ended: true },
    { agent: 'two', step: 2, ended: true },
    { agent: 'one', ended: true },
  ])
  expect(steps[2].events).toMatchObject([
    { type: 'step/start' },
    { type: 'tool/call', card: { card: 'generic', title: 'note', rawInput: { n: 1 } } },
    { type: 'tool/result', card: { card: 'generic', content } },
    { type: 'step/end' },
  ])
})

test('replaySession() as JSON prints one object for an empty session, too', () => {
  openSessionLog(path).close()
  expect(JSON.parse(replay({ json: true }).text)).toEqual({ steps: [], skipped: [] })
  expect(replay().notes).toEqual(['caisson: the session has no events'])
})

test('replaySession() escapes what agents, logs and damaged lines hold', () => {
  record((add) => {
    const place = { agent: 'a\u001b[2Jb' }
    add(place, 'tool/log', { callId: 'c', level: 'info', text: '\u001b]52;c;aGk=\u0007' })
  })
  writeFileSync(path, '{"v":1,"\u001b]0;x\u0007":1}\n', { flag: 'a' })
  const { text, notes } = replay()
  expect(`${text}${notes.join('')}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  expect(text).toContain('agent a\\x1b[2Jb')
  expect(notes).toEqual([expect.stringContaining('line 2 is skipped')])
})

test('replaySession() says in one line why a file is no session log', () => {
  const options = { ...OPTIONS, out: { line: () => undefined, note: () => undefined } }
  writeFileSync(path, 'hello\nworld\n')
  const attempts = { [path]: /not a session log: line 1 is not JSON$/, [folder]: /not a regular/ }
  for (const [file, reason] of Object.entries({ ...attempts, [`${path}x`]: /ENOENT/ })) {
    let error: unknown
    try {
      replaySession(file, options)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(reason) })
    expect(Reflect.get(Object(error), 'message')).not.toContain('\n')
  }
})
