import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type {
  Answerer,
  AnswererKind,
  ApprovalAnswer,
  ApprovalQuestion,
} from '../../src/approval/types.ts'
import type { Agent } from '../../src/host/agent.ts'
import { createToolHost, type ToolHost } from '../../src/host/create-tool-host.ts'
import type { Session, SessionOptions } from '../../src/host/session.ts'
import type { HostOptions } from '../../src/host/spec.ts'
import type { ApprovalConfig } from '../../src/policies/auto-approval/config/settings.ts'
import type {
  DecisionEntry,
  JournalLine,
  ObservationEntry,
} from '../../src/policies/auto-approval/journals/records.ts'
import { withSeams, type ApprovalSeams } from '../../src/policies/auto-approval/seams.ts'
import type { AssessedCall } from '../../src/policies/auto-approval/types.ts'
import type { CallResult } from '../../src/types/call.ts'
import { makeAssessed } from './assessed-call.ts'
import { makeFakeClock, settleTurns, type FakeClock } from './fake-clock.ts'
import { makeCall, makeTool } from './make-call.ts'
import { makeMemoryStore, type MemoryStore } from './memory-store.ts'
import { makeScriptedModels, type ModelScript, type ScriptedModels } from './scripted-models.ts'
import { removeFolder } from './folders.ts'

export interface SceneOptions extends ModelScript {
  readonly settings?: ApprovalConfig
  /** How calls of a tool are read; others change nothing outside. */
  readonly reads?: Readonly<Record<string, AssessedCall | (() => AssessedCall)>>
  readonly session?: SessionOptions
  readonly host?: HostOptions
  readonly seams?: ApprovalSeams
}

/** A host with the pack, in which readings, models, time and the journal's disk are scripted. */
export interface ApprovalScene {
  readonly host: ToolHost
  readonly session: Session
  readonly agent: Agent
  readonly clock: FakeClock
  readonly store: MemoryStore
  readonly models: ScriptedModels
  readonly diagnostics: string[]
  readonly stateDir: string
  /** Names of the tools whose bodies ran. */
  readonly ran: string[]
  /** Whether the targets of calls are still what they were. */
  unchanged: boolean
  decisions(): DecisionEntry[]
  observations(): ObservationEntry[]
  sources(): string[]
  /** Runs one call and lets it come as far as it does without time passing. */
  start(tool: string, args?: unknown, agent?: Agent): Promise<Running>
  call(tool: string, args?: unknown, agent?: Agent): Promise<CallResult>
  person(kind?: AnswererKind, id?: string): Person
}

/** A call under way. */
export interface Running {
  readonly result: Promise<CallResult>
  abort(): void
}

/** Somebody who is asked and answers when the test says so. */
export interface Person {
  readonly questions: ApprovalQuestion[]
  readonly advice: string[]
  /** Questions that were taken down. */
  readonly taken: string[]
  answer(answer: ApprovalAnswer | undefined): void
  allow(): void
  reject(): void
  fail(): void
}

/** Builds the scene for the running test. Tools `a`, `b`, `edit`, `bash` echo their arguments. */
export function makeApprovalScene(options: SceneOptions = {}): ApprovalScene {
  const clock = makeFakeClock()
  const store = makeMemoryStore()
  const models = makeScriptedModels(options)
  const stateDir = mkdtempSync(join(tmpdir(), 'caisson-approval-'))
  const diagnostics: string[] = []
  const reads = options.reads ?? {}
  const scene = { unchanged: true }
  const seams: ApprovalSeams = {
    clock,
    store,
    models,
    assessor: {
      assess({ name }) {
        const read = reads[name] ?? makeAssessed(['INTERNAL'], { toolClass: 'pure' })
        return typeof read === 'function' ? read() : read
      },
      isUnchanged: () => scene.unchanged,
    },
    ...options.seams,
  }
  const host = createToolHost({
    stateDir,
    ...options.host,
    approval: withSeams(options.settings ?? {}, seams),
    logger: (line) => void diagnostics.push(line),
  })
  onTestFinished(async () => {
    store.release()
    await host.close()
    removeFolder(stateDir)
  })
  const ran: string[] = []
  for (const name of ['a', 'b', 'edit', 'bash']) {
    host.tools.register(
      makeTool(name, {
        execute(args: unknown) {
          ran.push(name)
          return { echo: args }
        },
      }),
    )
  }
  const session = host.openSession(options.session)
  const agent = session.agent('main')
  const parsed = (): JournalLine[] => store.lines.map((line) => JSON.parse(line) as JournalLine)
  const start: ApprovalScene['start'] = async (tool, args = {}, by = agent) => {
    const controller = new AbortController()
    const result = by.tools.execute(makeCall(tool, args, { signal: controller.signal }))
    result.catch(() => undefined)
    await settleTurns()
    return { result, abort: () => controller.abort(new Error('stop')) }
  }
  return Object.assign(scene, {
    host,
    session,
    agent,
    clock,
    store,
    models,
    diagnostics,
    stateDir,
    ran,
    start,
    decisions: () => parsed().filter((line) => line.type === 'decision'),
    observations: () => parsed().filter((line) => line.type === 'observation'),
    sources: () =>
      parsed().flatMap((line) => (line.type === 'decision' ? [line.source as string] : [])),
    call: async (tool: string, args?: unknown, by?: Agent) => (await start(tool, args, by)).result,
    person: (kind: AnswererKind = 'human', id: string = kind) => makePerson(host, kind, id),
  })
}

function makePerson(host: ToolHost, kind: AnswererKind, id: string): Person {
  const waiting: PromiseWithResolvers<ApprovalAnswer | undefined>[] = []
  const questions: ApprovalQuestion[] = []
  const advice: string[] = []
  const taken: string[] = []
  const answerer: Answerer = {
    id,
    kind,
    available: () => true,
    ask(question, signal) {
      questions.push(question)
      signal.addEventListener('abort', () => taken.push(question.askId))
      const turn = Promise.withResolvers<ApprovalAnswer | undefined>()
      waiting.push(turn)
      return turn.promise
    },
    advise: (_askId, text) => void advice.push(text),
  }
  host.approval.addAnswerer(answerer)
  const answer = (given: ApprovalAnswer | undefined): void => waiting.pop()?.resolve(given)
  return {
    questions,
    advice,
    taken,
    answer,
    allow: () => answer({ decision: 'allow' }),
    reject: () => answer({ decision: 'reject' }),
    fail: () => waiting.pop()?.reject(new Error('gone')),
  }
}
