import { isCaissonError } from '../errors/caisson-error.ts'
import type { Call } from '../pipeline/call.ts'
import { stoppedFailure } from '../pipeline/interrupted.ts'
import { failWith, type Failure, type Outcome } from '../pipeline/outcome.ts'
import { parseWrapperResult } from '../pipeline/parse-result.ts'
import { toResult } from '../pipeline/to-result.ts'
import type { Listener } from '../registry/hub.ts'
import type { AroundExecution, CallResult } from '../types/call.ts'
import { toThrownRecord } from '../../workers/shared/thrown.ts'
import type { NextStage, Pass } from './stage.ts'

const EVENT = 'tools/execute'

/**
 * Runs one `tools/execute` listener around `next`. Whatever it does becomes an outcome; everything
 * it started has ended when that is known. Never rejects because of the listener.
 */
export async function withWrapper(
  call: Call,
  listener: Listener,
  pass: Pass,
  next: NextStage,
): Promise<Outcome> {
  const view = createView(call, pass.signal)
  let fault: Failure | undefined
  let inside: Promise<CallResult> | undefined
  const enter = async (signal: AbortSignal | undefined): Promise<CallResult> => {
    if (call.closed || pass.limit?.left === true) return mint(call, tooLate(call, pass))
    if (signal === undefined) return mint(call, (fault ??= signalFault(listener.name)))
    return mint(call, await next({ ...pass, signal }))
  }
  // One body of a call at a time: a second run of the inside begins when the first has ended.
  const step = (): Promise<CallResult> => {
    const signal = readSignal(view)
    const again = (): Promise<CallResult> => enter(signal)
    inside = inside === undefined ? again() : inside.then(again, again)
    return inside
  }
  let answer: () => Outcome | Promise<Outcome>
  try {
    const returned: unknown = await Reflect.apply(listener.fn, undefined, [view, step])
    answer = () => parseWrapperResult(call, listener.name, returned)
  } catch (thrown) {
    answer = () => wrapperFailure(call, listener.name, thrown)
  }
  await settled(() => inside)
  if (fault === undefined && readSignal(view) === undefined) fault = signalFault(listener.name)
  return fault ?? answer()
}

// A result that a wrapper hands back as it got it is the outcome that it was made of.
function mint(call: Call, outcome: Outcome): CallResult {
  const result = toResult(call, outcome)
  call.minted ??= new WeakMap()
  call.minted.set(result, outcome)
  return result
}

// A fresh view per wrapper: what one assigns is seen inside it and nowhere else.
function createView(call: Call, signal: AbortSignal): AroundExecution {
  const view = Object.create(null) as AroundExecution
  for (const [key, value] of Object.entries(call.exec)) {
    if (key !== 'signal') Object.defineProperty(view, key, { value, enumerable: true })
  }
  view.signal = signal
  return view
}

// An accessor is no signal: it could answer differently each time.
function readSignal(view: AroundExecution): AbortSignal | undefined {
  const signal: unknown = Object.getOwnPropertyDescriptor(view, 'signal')?.value
  return signal instanceof AbortSignal ? signal : undefined
}

// What a listener started without awaiting it is waited for; it may have started more meanwhile.
async function settled(inside: () => Promise<unknown> | undefined): Promise<void> {
  for (let seen: unknown; seen !== inside();) {
    seen = inside()
    await Promise.allSettled([seen])
  }
}

function signalFault(listener: string): Failure {
  const message = `wrapper '${listener}' must leave an AbortSignal in exec.signal`
  return failWith('BAD_DECISION', message, { by: 'wrapper', listener, phase: EVENT })
}

function tooLate(call: Call, { signal, limit }: Pass): Failure {
  const reason: unknown = call.interrupt.reason ?? (signal.aborted ? signal.reason : 'it has ended')
  return stoppedFailure(call, { reason, limit }, false)
}

function wrapperFailure(call: Call, listener: string, thrown: unknown): Failure {
  const contexts = call.bodyContexts
  if (isCaissonError(thrown)) {
    const facts = { ...thrown.facts, by: 'wrapper', listener }
    return failWith(thrown.code, thrown.message, facts, contexts)
  }
  const record = toThrownRecord(thrown)
  const facts = { by: 'wrapper', listener, thrown: { ...record } }
  return failWith('TOOL_ERROR', record.message, facts, contexts)
}
