import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createTerminalAnswerer } from '../../src/approval/terminal.ts'
import type { ApprovalAnswer, ApprovalQuestion } from '../../src/approval/types.ts'
import { makeFakeClock, settleTurns, type FakeClock } from '../helpers/fake-clock.ts'

interface Terminal {
  readonly clock: FakeClock
  readonly stop: AbortController
  screen(): string
  type(text: string): Promise<void>
  end(): void
  ask(extra?: Partial<ApprovalQuestion>): Promise<ApprovalAnswer | undefined>
  advise(text: string): void
}

function makeTerminal(isTTY = true): Terminal & { available(): boolean } {
  const stdin = Object.assign(new PassThrough(), { isTTY }) as never
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 200 })
  let text = ''
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const clock = makeFakeClock()
  const stop = new AbortController()
  const answerer = createTerminalAnswerer({ stdin, stderr: stderr as never, clock })
  const input = stdin as PassThrough
  return {
    clock,
    stop,
    // What a terminal does with the cursor is not what is shown.
    screen: () => stripVTControlCharacters(text),
    async type(keys) {
      input.write(keys)
      await settleTurns()
    },
    end: () => void input.end(),
    ask: (extra = {}) => answerer.ask({ ...QUESTION, ...extra }, stop.signal),
    advise: (suggestion) => answerer.advise?.('ask', suggestion),
    available: () => answerer.available(QUESTION),
  }
}

const QUESTION: ApprovalQuestion = {
  askId: 'ask',
  session: 's',
  agent: 'main',
  tool: 'bash',
  callId: 'call-1',
  risk: 'MEDIUM',
  locked: false,
  category: 'gitLocal',
  reasons: [{ code: 'GIT_CHANGE', text: 'changes the local repository' }],
  reason: undefined,
  arguments: '{"command":"git commit"}',
  shortened: false,
  seconds: 30,
  onTimeout: 'reject',
  sessionScope: true,
  recentDenials: [],
  suggestion: undefined,
}

describe('a person at the terminal', () => {
  test.each([
    ['y\n', { decision: 'allow', scope: 'once' }],
    ['yes\n', { decision: 'allow', scope: 'once' }],
    ['s\n', { decision: 'allow', scope: 'session' }],
    ['n\n', { decision: 'reject' }],
    ['\u0003', { decision: 'cancel' }],
  ])('%j answers %o', async (keys, answer) => {
    const terminal = makeTerminal()
    const asked = terminal.ask()
    await settleTurns()
    await terminal.type(keys)
    expect(await asked).toEqual(answer)
    expect(terminal.clock.waiting).toBe(0)
  })

  test('RACE-12 Enter refuses', async () => {
    const terminal = makeTerminal()
    const asked = terminal.ask()
    await settleTurns()
    await terminal.type('\n')
    expect(await asked).toEqual({ decision: 'reject' })
  })

  test('RACE-12 on a locked ask y is no allow; the word allow is', async () => {
    const terminal = makeTerminal()
    const asked = terminal.ask({ locked: true, sessionScope: false })
    let answered = false
    void asked.then(() => (answered = true))
    await settleTurns()
    await terminal.type('y\n')
    await terminal.type('s\n')
    expect(answered).toBe(false)
    expect(terminal.screen()).toContain('only the word allow')
    await terminal.type('allow\n')
    expect(await asked).toEqual({ decision: 'allow', scope: 'once' })
  })

  test('RACE-12 escape sequences in what is shown are replaced', async () => {
    const terminal = makeTerminal()
    const asked = terminal.ask({ tool: 'a\u001b[2J', arguments: '{"x":"\u202e\u001b]0;t\u0007"}' })
    await settleTurns()
    const screen = terminal.screen()
    expect(screen).toContain('a\\x1b[2J')
    expect(screen).toContain('\\u202e')
    expect(screen).not.toContain('\u202e')
    expect(screen).not.toContain('\u0007')
    await terminal.type('\n')
    await asked
  })

  test('the question shows the call, its risk and reasons, and counts down', async () => {
    const terminal = makeTerminal()
    const asked = terminal.ask()
    await settleTurns()
    expect(terminal.screen()).toContain('Approval needed (risk MEDIUM, category gitLocal): bash')
    expect(terminal.screen()).toContain('|  "command": "git commit"')
    expect(terminal.screen()).toContain('changes the local repository [GIT_CHANGE]')
    expect(terminal.screen()).toContain('30 s, then reject')
    await terminal.clock.advance(2_000)
    expect(terminal.screen()).toContain('28 s, then reject')
    terminal.advise('reviewer says DENY')
    expect(terminal.screen()).toContain('Suggestion: reviewer says DENY')
    await terminal.type('d\n')
    expect(terminal.screen()).toContain('call call-1, session s')
    terminal.stop.abort()
    expect(await asked).toBeUndefined()
  })

  test('one question is shown at a time', async () => {
    const terminal = makeTerminal()
    const first = terminal.ask({ tool: 'first' })
    const second = terminal.ask({ tool: 'second' })
    await settleTurns()
    expect(terminal.screen()).not.toContain('second')
    await terminal.type('y\n')
    expect(await first).toMatchObject({ decision: 'allow' })
    await settleTurns()
    expect(terminal.screen()).toContain('second')
    await terminal.type('n\n')
    expect(await second).toEqual({ decision: 'reject' })
  })

  test('the end of input withdraws, and off a terminal nobody is asked', async () => {
    const terminal = makeTerminal()
    const asked = terminal.ask()
    await settleTurns()
    terminal.end()
    expect(await asked).toBeUndefined()
    expect(makeTerminal(false).available()).toBe(false)
  })
})
