import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../approval/clock.ts'
import { cutText } from '../../../cards/escape.ts'
import { toCanonicalJson } from '../../canonical-json.ts'
import type { Audit } from '../journals/audit.ts'
import type { History } from '../journals/history.ts'
import type {
  DecisionEntry,
  DecisionOutcome,
  DecisionSource,
  JournalLine,
  ModelNote,
  ObservationEntry,
} from '../journals/records.ts'
import { redactText } from '../redaction/redact.ts'
import type { DecidedCall } from './executions.ts'
import type { InForce } from './in-force.ts'
import { describeCodes } from './texts.ts'

/** What a record says besides what is known of the call. */
export interface DecisionDetails {
  readonly source: DecisionSource
  readonly outcome: DecisionOutcome
  readonly codes: readonly string[]
  readonly directive?: string | undefined
  readonly rule?: string | undefined
  readonly llm?: ModelNote | undefined
  readonly answerer?:
    { readonly id: string; readonly kind: string; readonly note?: string | undefined } | undefined
  readonly showsBreaker?: boolean
}

/** Writes what was decided. */
export interface Recorder {
  /** True when the line was stored within two seconds: only then an allow may take effect. */
  gate(call: DecidedCall, details: DecisionDetails): Promise<boolean>
  /** Queues a line that nobody waits for; failing to store it is a diagnostic. */
  note(call: DecidedCall, details: DecisionDetails): void
  observe(entry: Omit<ObservationEntry, 'type'>): void
  clearHistory(): void
}

export interface RecorderOptions {
  readonly audit: Audit
  readonly history: History
  readonly clock: Clock
  readonly inForce: () => InForce
  readonly digest: (text: string) => string
  diagnose(text: string): void
}

const STORE_MS = 2_000

/** Creates the recorder of a pack. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { audit, history, clock, inForce, diagnose } = options
  const compose = (call: DecidedCall, details: DecisionDetails): DecisionEntry => {
    call.source = details.source
    return toEntry(call, details, options, inForce())
  }
  const write = (entry: Parameters<Audit['write']>[0]): Promise<JournalLine> => audit.write(entry)
  const failed = (): void => diagnose('an approval record could not be stored')
  return {
    async gate(call, details) {
      const late = Promise.withResolvers<false>()
      const clear = clock.after(STORE_MS, () => late.resolve(false))
      const stored = write(compose(call, details)).then(
        (line) => {
          history.add(line)
          return true
        },
        () => false,
      )
      const isStored = await Promise.race([stored, late.promise])
      clear()
      return isStored
    },
    note: (call, details) =>
      void write(compose(call, details)).then((line) => history.add(line), failed),
    observe: (entry) => void write({ type: 'observation', ...entry }).then(() => undefined, failed),
    clearHistory() {
      history.clear()
      void write({ type: 'clear' }).then(() => undefined, failed)
    },
  }
}

const MAX_NAME = 200
const MAX_REASON = 1_000

function toEntry(
  call: DecidedCall,
  details: DecisionDetails,
  { clock, digest }: RecorderOptions,
  { settings, digest: config }: InForce,
): DecisionEntry {
  const { exec, place, root, assessed, id } = call
  const { assessment } = assessed
  const { source, outcome, codes, directive, rule, llm, answerer } = details
  return {
    type: 'decision',
    id: `d_${randomUUID()}`,
    exec: id,
    ...(place.session === undefined ? {} : { session: place.session }),
    root: place.root,
    ...(place.agent === undefined ? {} : { agent: cutText(place.agent, MAX_NAME) }),
    call: cutText(redactText(exec.callId), MAX_NAME),
    tool: cutText(redactText(exec.name), MAX_NAME),
    argsHmac: digest(toCanonicalJson(exec.arguments)),
    outcome,
    source,
    tier: assessment.tier,
    category: assessment.category,
    ...(directive === undefined ? {} : { directive }),
    codes: [...new Set(codes)],
    reason: cutText(describeCodes(codes), MAX_REASON),
    ...(rule === undefined ? {} : { rule: cutText(rule, MAX_NAME) }),
    ...(llm === undefined ? {} : { llm: maskNote(llm) }),
    ...(details.showsBreaker === true ? { breaker: root.breaker.counters } : {}),
    ...(answerer === undefined ? {} : { answerer: maskAnswerer(answerer) }),
    waitedMs: Math.round(clock.now() - call.begun),
    mode: root.mode ?? settings.defaultReviewMode,
    config,
  }
}

function maskNote({ reason, ...note }: ModelNote): ModelNote {
  return {
    ...note,
    ...(reason === undefined ? {} : { reason: cutText(redactText(reason), MAX_REASON) }),
  }
}

function maskAnswerer({
  id,
  kind,
  note,
}: NonNullable<DecisionDetails['answerer']>): NonNullable<DecisionEntry['answerer']> {
  const masked = note === undefined ? {} : { note: cutText(redactText(note), MAX_REASON) }
  return { id: cutText(id, MAX_NAME), kind, ...masked }
}
