import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createToolHost } from '../../../../src/host/create-tool-host.ts'
import { createAudit, type Audit } from '../../../../src/policies/auto-approval/journals/audit.ts'
import { readHistory } from '../../../../src/policies/auto-approval/journals/read.ts'
import type { JournalLine } from '../../../../src/policies/auto-approval/journals/records.ts'
import {
  CHAIN_START,
  createFileStore,
  digestOf,
} from '../../../../src/policies/auto-approval/journals/store.ts'
import { withSeams } from '../../../../src/policies/auto-approval/seams.ts'
import { makeAssessed, makeTarget } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene, type SceneOptions } from '../../../helpers/approval-scene.ts'
import { makeFakeClock, settleTurns } from '../../../helpers/fake-clock.ts'
import { toFailed, toSuccess } from '../../../helpers/make-call.ts'
import { SCRIPTED_MODEL } from '../../../helpers/scripted-models.ts'
import { makeFolder } from '../../../helpers/folders.ts'

const EASY = { a: makeAssessed(['GIT_CHANGE']) }
const SOURCES = `guard-deny hard-deny policy-deny static-allow classifier-allow classifier-deny
  rule-allow rule-deny allowlist-allow denylist-deny category-deny learned-allow review-allow
  review-deny timeout-allow timeout-deny human-allow human-deny program-allow program-deny
  unattended-deny audit-deny target-changed cancelled unavailable`.split(/\s+/)

const ALLOWS: [string, SceneOptions, 'human' | 'program' | 'timer' | undefined][] = [
  ['static', {}, undefined],
  ['rule', { settings: { rules: [{ tools: ['a'], decide: 'allow' }] } }, undefined],
  ['allowlist', { reads: EASY, settings: { allowlist: ['a'] } }, undefined],
  [
    'classifier',
    {
      reads: EASY,
      settings: { classifier: SCRIPTED_MODEL },
      classifier: () => ({ decision: 'allow', reason: 'x' }),
    },
    undefined,
  ],
  [
    'review',
    {
      reads: EASY,
      settings: { reviewer: SCRIPTED_MODEL },
      reviewer: () => ({ decision: 'ALLOW' }),
    },
    undefined,
  ],
  ['human', { reads: EASY }, 'human'],
  ['program', { reads: EASY }, 'program'],
  ['timeout', { reads: EASY, settings: { timeoutAction: 'allow-medium' } }, 'timer'],
]

describe('the gate of every allow', () => {
  test.each(ALLOWS)(
    'AUD-01 an allow from %s that cannot be stored is a denial, and nothing runs',
    async (_from, options, by) => {
      const scene = makeApprovalScene(options)
      scene.store.mode = 'fails'
      const person = scene.person(by === 'program' ? 'program' : 'human')
      const { result } = await scene.start('a')
      if (by === 'timer') await scene.clock.advance(30_000)
      else if (by !== undefined) person.allow()
      const { error } = toFailed(await result)
      expect(error.code).toBe('DENIED')
      expect(error['reasons']).toContain('AUDIT_UNAVAILABLE')
      expect(scene.ran).toEqual([])
    },
  )

  test('AUD-01 what could not be stored is not learned', async () => {
    const scene = makeApprovalScene({
      reads: EASY,
      settings: {
        learning: { enabled: true, threshold: 2 },
        reviewer: { ...SCRIPTED_MODEL, decides: 'none' },
      },
      reviewer: () => ({ decision: 'ALLOW' }),
    })
    const person = scene.person()
    scene.store.mode = 'fails'
    for (let time = 0; time < 3; time++) {
      const { result } = await scene.start('a')
      person.allow()
      toFailed(await result)
    }
    scene.store.mode = 'works'
    await scene.start('a')
    expect(person.questions).toHaveLength(4)
  })

  test('AUD-02 a store that hangs denies after two seconds; a deny waits for nothing', async () => {
    const scene = makeApprovalScene({ settings: { denyList: ['b'] } })
    scene.store.mode = 'hangs'
    toFailed(await scene.call('b'))
    const { result } = await scene.start('a')
    await scene.clock.advance(1_999)
    expect(scene.ran).toEqual([])
    await scene.clock.advance(1)
    expect(toFailed(await result).error['reasons']).toContain('AUDIT_UNAVAILABLE')
  })

  test('AUD-03 no body begins before the line of its allow is stored', async () => {
    const scene = makeApprovalScene()
    const append = scene.store.append.bind(scene.store)
    const stored = Promise.withResolvers<void>()
    scene.store.append = async (text) => {
      await stored.promise
      await append(text)
    }
    const { result } = await scene.start('a')
    expect(scene.ran).toEqual([])
    stored.resolve()
    toSuccess(await result)
    expect(scene.sources()).toEqual(['static-allow'])
  })

  test.each([
    ['a link that was swapped', makeTarget('/ws/link', 'read')],
    ['a file that appeared', makeTarget('/ws/new')],
  ])('AUD-04 %s while somebody was asked is a denial', async (_what, target) => {
    const scene = makeApprovalScene({
      reads: { a: makeAssessed(['GIT_CHANGE'], { targets: [target] }) },
    })
    const person = scene.person()
    const { result } = await scene.start('a')
    scene.unchanged = false
    person.allow()
    expect(toFailed(await result).error['reasons']).toEqual(['TARGET_CHANGED', 'GIT_CHANGE'])
    expect(scene.sources()).toEqual(['target-changed'])
    expect(scene.ran).toEqual([])
  })
})

describe('the record', () => {
  test('AUD-05 every ending has one record of a known source, and the lines are chained', async () => {
    const scene = makeApprovalScene({
      reads: { ...EASY, edit: makeAssessed(['CRITICAL_PATH']) },
      settings: { denyList: ['b'] },
    })
    const person = scene.person()
    toSuccess(await scene.call('bash'))
    toFailed(await scene.call('b'))
    toFailed(await scene.call('edit'))
    for (const answer of ['allow', 'reject'] as const) {
      const { result } = await scene.start('a', { answer })
      person.answer({ decision: answer })
      await result
    }
    const running = await scene.start('a')
    running.abort()
    await running.result
    await settleTurns()
    expect(scene.sources()).toEqual([
      'static-allow',
      'denylist-deny',
      'hard-deny',
      'human-allow',
      'human-deny',
      'cancelled',
    ])
    expect(scene.sources().every((source) => SOURCES.includes(source))).toBe(true)
    expectChain(scene.store.lines)
  })

  test('AUD-06 a large file is put aside and five of those are kept; the chain goes on', async () => {
    const { audit, folder } = openAudit({ maxBytes: 2_000, keep: 5 })
    for (let line = 0; line < 200; line++) await audit.write(observation(line))
    await audit.close()
    const rotated = readdirSync(folder).filter((name) => name.startsWith('audit-'))
    expect(rotated).toHaveLength(5)
    const names = [...rotated.sort((a, b) => seqOf(a) - seqOf(b)), 'audit.jsonl']
    const lines = names.flatMap((name) => linesOf(join(folder, name)))
    expectChain(lines, false)
    expect((JSON.parse(lines.at(-1) ?? '') as JournalLine).seq).toBe(200)
    expect(statSync(join(folder, 'audit.jsonl')).mode & 0o777).toBe(0o600)
  })

  test('AUD-06 the journal of a command is put aside under its own name', async () => {
    const folder = makeFolder('caisson-audit-')
    const other = openAudit({}, folder)
    await other.audit.write(observation(1))
    await other.audit.close()
    const store = createFileStore(join(folder, 'run-x.jsonl'), { sync: 'none' })
    store.resume()
    await store.append('{"seq":1}\n')
    await store.rotate(1, 5)
    await store.append('{"seq":2}\n')
    await store.close()
    expect(readdirSync(folder).sort()).toEqual(['audit.jsonl', 'run-x-1.jsonl', 'run-x.jsonl'])
  })

  test('AUD-06 a rotation that fails leaves a stored line stored', async () => {
    const diagnostics: string[] = []
    const folder = makeFolder('caisson-audit-')
    const store = createFileStore(join(folder, 'audit.jsonl'), { sync: 'data' })
    store.rotate = () => Promise.reject(new Error('busy'))
    const audit = createAudit({
      store,
      clock: makeFakeClock(),
      limits: () => ({ maxBytes: 10, keep: 5 }),
      diagnose: (text) => void diagnostics.push(text),
    })
    expect((await audit.write(observation(1))).seq).toBe(1)
    await audit.close()
    expect(diagnostics).toEqual(['the approval journal could not be rotated: busy'])
  })

  test('AUD-07 a torn last line is skipped, and what follows can be read', async () => {
    const first = openAudit()
    await first.audit.write(observation(1))
    await first.audit.close()
    const path = join(first.folder, 'audit.jsonl')
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"v":1,"seq":2,"pr`)
    const second = openAudit({}, first.folder)
    await second.audit.write(observation(2))
    await second.audit.close()
    const lines = linesOf(path)
    expect(lines).toHaveLength(3)
    const [one = '', , three = ''] = lines
    expect(JSON.parse(three)).toMatchObject({ seq: 2, prev: digestOf(one), count: 2 })
  })

  test('AUD-07 a second host on the same folder is refused, and commands are not', async () => {
    const stateDir = makeFolder('caisson-audit-')
    const host = createToolHost({ stateDir, approval: true })
    onTestFinished(() => host.close())
    expect(() => createToolHost({ stateDir, approval: true })).toThrow(/is written by process/)
    const approval = withSeams({}, { journal: 'run' })
    const commands = [1, 2].map(() => createToolHost({ stateDir, approval }))
    await Promise.all(commands.map((command) => command.close()))
    await host.close()
    await createToolHost({ stateDir, approval: true }).close()
    expect(statSync(join(stateDir, 'approval')).mode & 0o777).toBe(0o700)
  })

  test('AUD-08 no record holds arguments, and a secret in a model reason is masked', async () => {
    const scene = makeApprovalScene({
      reads: {
        a: makeAssessed(['GIT_CHANGE'], { targets: [makeTarget('/ws/very-private.txt')] }),
      },
      settings: { classifier: SCRIPTED_MODEL },
      classifier: () => ({ decision: 'deny', reason: 'leaks ghp_abcdefghijklmnop' }),
    })
    toFailed(await scene.call('a', { file_path: '/ws/very-private.txt', command: 'make me rich' }))
    const text = scene.store.lines.join('\n')
    expect(text).toContain('leaks [redacted]')
    expect(text).not.toMatch(/very-private|make me rich|ghp_/)
    expect(scene.decisions()[0]?.argsHmac).toMatch(/^[0-9a-f]{64}$/)
  })

  test('AUD-09 an allow whose call is cancelled counts once, and clearing leaves a line', async () => {
    const scene = makeApprovalScene()
    scene.host.tools.register({
      name: 'slow',
      description: 'waits',
      parameters: { type: 'object' },
      output: { schema: {}, render: () => [] },
      execute: (_args: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    })
    const running = await scene.start('slow')
    running.abort()
    toFailed(await running.result)
    await settleTurns()
    expect(scene.sources()).toEqual(['static-allow', 'cancelled'])
    const { approval } = scene.host
    expect(approval.statistics()).toMatchObject({
      executions: 1,
      outcomes: { allowed: 0, cancelled: 1 },
    })
    expect(approval.history().map(({ source }) => source)).toEqual(['static-allow', 'cancelled'])
    approval.clearHistory()
    await settleTurns()
    expect(approval.history()).toEqual([])
    expect(JSON.parse(scene.store.lines.at(-1) ?? '')).toMatchObject({ type: 'clear' })
  })

  test('what was decided can be read from the folder afterwards', async () => {
    const scene = makeApprovalScene({ settings: { denyList: ['b'] } })
    toSuccess(await scene.call('a'))
    toFailed(await scene.call('b'))
    await scene.host.close()
    expect(readHistory(scene.stateDir).map(({ tool }) => tool)).toEqual(['a', 'b'])
    expect(readHistory(scene.stateDir, { outcome: 'denied' })).toMatchObject([
      { tool: 'b', source: 'denylist-deny' },
    ])
  })
})

function openAudit(
  limits: { maxBytes?: number; keep?: number } = {},
  folder: string = makeFolder('caisson-audit-'),
): { audit: Audit; folder: string } {
  const store = createFileStore(join(folder, 'audit.jsonl'), { sync: 'none' })
  const audit = createAudit({
    store,
    clock: makeFakeClock(),
    limits: () => ({ maxBytes: 1e9, keep: 5, ...limits }),
    diagnose: () => undefined,
  })
  return { audit, folder }
}

function observation(count: number): { type: 'observation'; kind: 'artifact'; count: number } {
  return { type: 'observation', kind: 'artifact', count }
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

function seqOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0])
}

function expectChain(lines: readonly string[], fromStart = true): void {
  let prev = fromStart ? CHAIN_START : (JSON.parse(lines[0] ?? '') as JournalLine).prev
  for (const line of lines) {
    expect((JSON.parse(line) as JournalLine).prev).toBe(prev)
    prev = digestOf(line)
  }
}
