import { resolve } from 'node:path'
import type { Asks } from '../approval/asks.ts'
import type { Clock } from '../approval/clock.ts'
import { openConsole } from '../approval/console.ts'
import type {
  Answerer,
  AnswererKind,
  AnswerReceipt,
  ApprovalAnswer,
  ApprovalQuestion,
} from '../approval/types.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { materializeJson } from '../json/materialize.ts'
import type {
  ApprovalConfig,
  ApprovalSettings,
  ReviewMode,
} from '../policies/auto-approval/config/settings.ts'
import { explainCall, type Explanation } from '../policies/auto-approval/decide/explain.ts'
import type { InForce } from '../policies/auto-approval/decide/in-force.ts'
import {
  countDecisions,
  filterHistory,
  type DecisionCounts,
  type HistoryEntry,
  type HistoryFilter,
} from '../policies/auto-approval/journals/read.ts'
import type { ApprovalPack } from '../policies/auto-approval/pack.ts'
import { testRules, type SampleReport } from '../policies/auto-approval/rules/test-rules.ts'
import type { RuleInput, RuleSample } from '../policies/auto-approval/rules/types.ts'
import type { Disposer } from '../types/decision.ts'
import type { HostAssessor } from './approval-assessor.ts'
import type { Kernel } from './kernel.ts'
import type { Session } from './session.ts'

/** A call to explain. */
export interface ExplainInput {
  readonly name: string
  readonly arguments: unknown
  /** Default: the host's workspace. */
  readonly cwd?: string
  /** Whose files count as made by the session. */
  readonly session?: Session
}

/** Who decides about calls, and what was decided. */
export interface ApprovalApi {
  /** Whether the approval pack is on; guards always are. */
  readonly installed: boolean
  /** The settings in force. */
  readonly settings: ApprovalSettings
  /** What would decide a call. Runs nothing, asks nobody and records nothing. */
  explain(input: ExplainInput): Explanation
  /** Runs samples against declared rules; by default against those in force. */
  testRules(samples: readonly RuleSample[], rules?: readonly RuleInput[]): SampleReport[]
  addAnswerer(answerer: Answerer): Disposer
  /** Questions that are open. */
  pending(): readonly ApprovalQuestion[]
  /** Answers an open question by its id. */
  answer(askId: string, answer: ApprovalAnswer): AnswerReceipt
  /** Promises that `answer()` will be called: questions then wait for it. Default kind `program`. */
  acceptAnswers(kind?: AnswererKind): Disposer
  mode(session: Session): ReviewMode
  setMode(session: Session, mode: ReviewMode): void
  /** Lets models be asked again in a session in which they refused too often. */
  resetBreaker(session: Session): void
  breaker(session: Session): { readonly consecutive: number; readonly total: number }
  /** The latest decisions of this host, oldest first. */
  history(filter?: HistoryFilter): HistoryEntry[]
  /** Counts of the same. */
  statistics(): DecisionCounts
  clearHistory(): void
  /** Opens a page on loopback on which a person answers; its URL holds the token. */
  openConsole(options?: { readonly port?: number }): Promise<{ readonly url: string }>
  /** Replaces the settings under `approval`. Throws `CONFIG_INVALID`, and then those before stay. */
  configure(settings: ApprovalConfig): void
}

interface ApiParts {
  readonly kernel: Kernel
  readonly asks: Asks
  readonly pack: ApprovalPack | undefined
  readonly reading: HostAssessor
  readonly inForce: () => InForce
  readonly clock: Clock
  /** What closes with the host. */
  readonly closers: (() => Promise<void>)[]
  configure(settings: unknown): void
}

const MODES: readonly unknown[] = ['smart', 'manual', 'unattended']

/** Creates the API of one host. */
export function createApprovalApi(made: ApiParts): ApprovalApi {
  const { kernel, asks, pack, reading, inForce, configure, clock, closers } = made
  const { inbox } = asks
  const workspace = resolve(kernel.spec.workspace)
  const on = (): ApprovalPack => {
    if (pack !== undefined) return pack
    throw new CaissonError('CONFIG_INVALID', 'approval is off; createToolHost({ approval: true })')
  }
  const rootOf = ({ id }: Session): ReturnType<ApprovalPack['parts']['roots']['of']> =>
    on().parts.roots.of(id)
  const entries = (): HistoryEntry[] => on().history.list() as HistoryEntry[]
  return {
    installed: pack !== undefined,
    get settings() {
      return inForce().settings
    },
    explain: (input) => explain(input, workspace, made),
    testRules: (samples, rules = inForce().settings.rules) =>
      testRules(rules, samples, { assessor: reading.assessor, workspace }),
    addAnswerer: (answerer) => asks.answerers.add(answerer),
    pending: () => inbox.pending(),
    answer: (askId, answer) => inbox.answer(askId, answer),
    acceptAnswers: (kind = 'program') => inbox.watch(kind),
    mode: (session) => rootOf(session).mode ?? inForce().settings.defaultReviewMode,
    setMode(session, mode) {
      if (!MODES.includes(mode)) {
        const text = "setMode(): mode must be 'smart', 'manual' or 'unattended'"
        throw new CaissonError('CONFIG_INVALID', text)
      }
      Object.assign(rootOf(session), { mode, modeChanged: true })
      on().parts.recorder.observe({ kind: 'mode-changed', root: session.id, mode })
    },
    resetBreaker(session) {
      rootOf(session).breaker.reset()
      on().parts.recorder.observe({ kind: 'breaker-reset', root: session.id })
    },
    breaker: (session) => rootOf(session).breaker.counters,
    history: (filter = {}) => filterHistory(entries(), filter),
    statistics: () => countDecisions(entries()),
    clearHistory: () => on().parts.recorder.clearHistory(),
    async openConsole({ port = inForce().settings.answerers.console.port } = {}) {
      const made = await openConsole({ port, clock })
      if (kernel.closed) {
        await made.close()
        throw new CaissonError('HOST_CLOSED', 'the host is closed')
      }
      const remove = asks.answerers.add(made.answerer)
      closers.push(async () => {
        remove()
        await made.close()
      })
      return { url: made.url }
    },
    configure(settings) {
      on()
      configure(settings)
    },
  }
}

function explain(input: ExplainInput, workspace: string, made: ApiParts): Explanation {
  const { name, arguments: given, session } = input
  const cwd = input.cwd === undefined ? workspace : resolve(workspace, input.cwd)
  const args = materializeJson(given, { where: 'arguments', freeze: true })
  const call = { name, arguments: args }
  const root = session === undefined ? {} : { root: session.id }
  const assessed = made.reading.assessor.assess({ ...call, cwd, ...root })
  const caller = { agent: undefined, isSubagent: false, workspace: cwd }
  return explainCall(call, assessed, made.inForce(), caller)
}
