import { isCaissonError, type CaissonError } from '../errors/caisson-error.ts'
import type { CapabilityContext, CapabilityRecord } from '../types/capability.ts'
import type { JsonValue } from '../types/json.ts'
import { createRequestBudget, type RequestBudget } from './budget.ts'
import type { Capability, RequestNote } from './capability.ts'
import type { TunnelRequest } from '../types/engine.ts'
import type { OpenTunnel } from './fetch/tunnel.ts'
import { notGranted, tooMany } from './refusals.ts'

/** What sandboxed code may ask the host for, by capability name. */
export interface Brokers {
  /**
   * Answers one request of an attempt with JSON, or rejects with the CaissonError that refuses it.
   * Nothing else is ever thrown; every request is recorded.
   */
  request(context: CapabilityContext, capability: string, payload: JsonValue): Promise<JsonValue>
  /** Connects a program with a granted host, counted and recorded like a request. */
  tunnel(context: CapabilityContext, request: TunnelRequest): Promise<JsonValue>
}

export interface BrokersSpec {
  readonly capabilities: ReadonlyMap<string, Capability>
  /** Absent where there are none. */
  readonly tunnel?: OpenTunnel
  /** Says what went wrong on the host itself. */
  diagnose(text: string): void
}

const MAX_NOTED = 2_048

/** Creates the front desk of the brokers: counts, refuses what is late or too much, and records. */
export function createBrokers({ capabilities, tunnel, diagnose }: BrokersSpec): Brokers {
  const budgets = new WeakMap<CapabilityContext, RequestBudget>()
  const budgetOf = (context: CapabilityContext): RequestBudget => {
    const known = budgets.get(context)
    if (known !== undefined) return known
    const made = createRequestBudget(context.grants.calls, () => performance.now())
    budgets.set(context, made)
    return made
  }
  const admit = (context: CapabilityContext, capability: string): void => {
    if (context.signal.aborted) throw notGranted(capability, 'the call has settled')
    const excess = budgetOf(context).take()
    if (excess !== undefined) throw tooMany(capability, excess)
  }
  const recorded = async (
    context: CapabilityContext,
    capability: string,
    work: (note: RequestNote) => Promise<JsonValue>,
  ): Promise<JsonValue> => {
    const note: RequestNote = { operation: '', target: '', bytesSent: 0, bytesReceived: 0 }
    const begun = performance.now()
    const late = context.signal.aborted
    const record = (outcome: Pick<CapabilityRecord, 'decision' | 'code'>): void =>
      context.record(
        Object.freeze({
          capability,
          ...note,
          ...outcome,
          ms: performance.now() - begun,
          ...(late ? { late } : {}),
        }),
      )
    try {
      const answer = await work(note)
      record({ decision: isFailure(answer) ? 'failed' : 'granted' })
      return answer
    } catch (error) {
      const refusal = toRefusal(error, capability, diagnose)
      record({ decision: 'refused', code: refusal.code })
      throw refusal
    }
  }
  return {
    request: (context, capability, payload) =>
      recorded(context, capability, async (note) => {
        const broker = capabilities.get(capability)
        broker?.describe(payload, note)
        admit(context, capability)
        if (broker !== undefined) return broker.request(context, payload, note)
        throw notGranted(capability, `${capability} is not granted by the tool's profile`)
      }),
    tunnel: (context, request) =>
      recorded(context, 'fetch', async (note) => {
        note.operation = 'CONNECT'
        note.target = `https://${request.authority}`.slice(0, MAX_NOTED)
        admit(context, 'fetch')
        if (tunnel !== undefined) return tunnel(context, request, note)
        throw notGranted('fetch', 'no connections are made here')
      }),
  }
}

function isFailure(answer: JsonValue): boolean {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, 'failed')
}

// A fault of ours must reach the tool as some refusal, or it would wait until its deadline.
function toRefusal(
  error: unknown,
  capability: string,
  diagnose: (text: string) => void,
): CaissonError {
  if (isCaissonError(error)) return error
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  diagnose(`the ${capability} broker failed: ${detail}`)
  return notGranted(capability, `the host could not serve this ${capability} request`)
}
