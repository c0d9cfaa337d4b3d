import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { materializeJson } from '../json/materialize.ts'
import { findTool } from '../registry/layer.ts'
import type { Scope } from '../registry/scope.ts'
import { createInterrupt } from '../signals/interrupt.ts'
import type { AgentRef, CallInput, CallToken, Execution } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import type { Call } from './call.ts'
import { failWith, type Failure } from './outcome.ts'

/** The identity fields of an input, each read once and checked. `arguments` is still foreign. */
export interface ReadInput {
  readonly callId: string
  readonly rootCallId: string
  readonly name: string
  readonly args: unknown
  /** Why the arguments could not even be parsed; stands in for them. */
  readonly fault?: CaissonError
  readonly agent: AgentRef | undefined
  readonly parent: CallToken | undefined
  readonly signal: AbortSignal
}

/**
 * Reads a call's input, with `owner` in the place of its agent. Throws `PROTOCOL_ERROR` with the fact
 * `field` for a broken call.
 */
export function readInput(input: CallInput, owner?: AgentRef): ReadInput {
  const read = (field: keyof CallInput): unknown => {
    try {
      return Reflect.get(Object(input), field)
    } catch {
      throw broken(field, 'could not be read')
    }
  }
  const callId = read('callId')
  if (typeof callId !== 'string') throw broken('callId', 'must be a string')
  const rootCallId = read('rootCallId') ?? callId
  if (typeof rootCallId !== 'string') throw broken('rootCallId', 'must be a string')
  const name = read('name')
  if (typeof name !== 'string') throw broken('name', 'must be a string')
  const signal = read('signal')
  if (!isAbortSignal(signal)) throw broken('signal', 'must be an AbortSignal')
  const agent = owner ?? read('agent')
  if (agent !== undefined && !isAgentRef(agent)) throw broken('agent', 'must be an agent')
  const parent = read('parent')
  if (parent !== undefined && typeof parent !== 'symbol') throw unknownParent()
  return { callId, rootCallId, name, agent, parent, signal, ...readArguments(input) }
}

// Arguments are no identity: what cannot be read of them is a result, like any other bad argument.
function readArguments(input: CallInput): Pick<ReadInput, 'args' | 'fault'> {
  try {
    return { args: Reflect.get(Object(input), 'arguments') as unknown }
  } catch {
    const facts = { where: 'arguments' }
    const fault = new CaissonError('JSON_NOT_LOSSLESS', 'arguments could not be read', facts)
    return { args: undefined, fault }
  }
}

/** The refusal of a parent token that is not live, or belongs to another agent. */
export function unknownParent(): CaissonError {
  return broken('parent', 'must be the token of a live call of the same agent')
}

/** The refusal of an agent that the host did not make. */
export function unknownAgent(): CaissonError {
  return broken('agent', 'must be an agent of this host')
}

/** Pins the registration, copies and freezes the arguments, and mints the call's identity. */
export function materializeCall(
  input: ReadInput,
  scope: Scope,
): { readonly call: Call; readonly failure: Failure | undefined } {
  const registration = findTool(scope, input.name)
  const { args, failure } = copyArguments(input)
  const exec: Execution = Object.freeze({
    callId: input.callId,
    rootCallId: input.rootCallId,
    name: input.name,
    arguments: args as JsonValue,
    ...(input.agent === undefined ? {} : { agent: input.agent }),
    ...(input.parent === undefined ? {} : { parent: input.parent }),
    token: Symbol(input.callId),
    signal: input.signal,
  })
  const call: Call = {
    exec,
    scope,
    registration,
    interrupt: createInterrupt(input.signal),
    entered: performance.now(),
    children: undefined,
    attempts: [],
    timings: { queueMs: 0, prepareMs: 0, bodyMs: 0 },
    minted: undefined,
    lastOutcome: undefined,
    bodyContexts: [],
    concluded: false,
    running: 0,
    quietWaiters: [],
    closed: false,
    graceMs: registration?.operator.graceMs ?? 0,
    policyUntil: 0,
    policyClock: undefined,
    denialCodes: undefined,
    endsStep: false,
  }
  return { call, failure }
}

function copyArguments(input: ReadInput): {
  readonly args: JsonValue | undefined
  readonly failure: Failure | undefined
} {
  try {
    if (input.fault !== undefined) throw input.fault
    const args = materializeJson(input.args, { where: 'arguments', freeze: true })
    return { args, failure: undefined }
  } catch (error) {
    if (!isCaissonError(error)) throw error
    return { args: undefined, failure: failWith(error.code, error.message, error.facts) }
  }
}

// `instanceof` also holds for objects that only have the prototype.
function isAbortSignal(value: unknown): value is AbortSignal {
  try {
    return value instanceof AbortSignal && typeof value.aborted === 'boolean'
  } catch {
    return false // `aborted` refuses to be read on anything that is no signal.
  }
}

function isAgentRef(value: unknown): value is AgentRef {
  try {
    return (
      typeof value === 'object' && value !== null && typeof Reflect.get(value, 'id') === 'string'
    )
  } catch {
    return false // A throwing accessor on an identity field is a broken call.
  }
}

function broken(field: string, problem: string): CaissonError {
  return new CaissonError('PROTOCOL_ERROR', `execute(): ${field} ${problem}`, { field })
}
