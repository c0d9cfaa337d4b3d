import { isCaissonError } from '../errors/caisson-error.ts'
import { DEFAULT_JSON_LIMITS } from '../json/limits.ts'
import { scanJsonText } from '../json/measure.ts'
import type { Call } from '../pipeline/call.ts'
import { readInput, type ReadInput } from '../pipeline/materialize-call.ts'
import { admitCall, type PipelineHost } from '../pipeline/run.ts'
import type { Interrupt } from '../signals/interrupt.ts'
import type { CallResult } from '../types/call.ts'
import type { JsonValue } from '../types/json.ts'
import type { AgentState } from './agent-state.ts'
import { createCommitLine, type CommitLine } from './commit-line.ts'
import { executionMode } from './execution-mode.ts'
import { closedError, disposedError } from './alive.ts'
import type { Kernel } from './kernel.ts'

/** One tool-call block of an assistant message; `arguments` is JSON text or a value. */
export interface ToolCallBlock {
  readonly callId: string
  readonly name: string
  readonly arguments: unknown
}

export interface StepOptions {
  readonly signal?: AbortSignal
}

/** What a step gave: one result per block, in the order of the blocks. */
export interface StepResult {
  readonly results: readonly CallResult[]
  readonly contexts: readonly JsonValue[]
  readonly notices: readonly JsonValue[]
  readonly concluded: boolean
}

/** An agent's step runner. A second step waits for the first. */
export interface Stepper {
  /**
   * Resolves with every block's result, also after an abort. Rejects with `PROTOCOL_ERROR` for a
   * broken block, before anything is recorded, and when the step cannot be recorded.
   */
  run(calls: readonly ToolCallBlock[], options?: StepOptions): Promise<StepResult>
  /** Resolves when no step runs or waits. */
  idle(): Promise<void>
}

/** Creates an agent's step runner; `nextStep` numbers the steps of its session. */
export function createStepper(kernel: Kernel, agent: AgentState, nextStep: () => number): Stepper {
  let turn: Promise<void> = Promise.resolve()
  return {
    run(calls, { signal } = {}) {
      const blocks = calls.map(copyBlock)
      const mine = turn.then(() => {
        if (kernel.closed) throw closedError()
        if (agent.disposed) throw disposedError(agent)
        return runStep({ kernel, agent, blocks, calls: [], nextStep, given: signal })
      })
      turn = mine.then(
        () => undefined,
        () => undefined,
      )
      return mine
    },
    idle: () => turn,
  }
}

interface Step {
  readonly kernel: Kernel
  readonly agent: AgentState
  readonly blocks: readonly ToolCallBlock[]
  /** The calls so far, for what stages say beside their result. */
  readonly calls: Call[]
  readonly given: AbortSignal | undefined
  nextStep(): number
}

async function runStep(step: Step): Promise<StepResult> {
  const { kernel, agent, blocks } = step
  const stop = new AbortController()
  const signal = step.given ?? stop.signal
  const inputs = blocks.map((block) => toInput(block, agent, signal))
  const isOver = (): boolean => signal.aborted || agent.disposed || kernel.closed
  agent.step = step.nextStep()
  try {
    const listed = inputs.map(({ callId, name }) => ({ callId, name }))
    kernel.journal.append(agent, 'step/start', { calls: listed })
    const line = createCommitLine(createStepHost(step, stop), agent)
    for (const input of inputs) await startCall(step, line, { input, isOver })
    await line.drained()
    if (line.broken !== undefined) throw line.broken.error
    return endStep(step, line.results, isOver())
  } finally {
    agent.step = undefined
  }
}

/** The pipeline for calls of a step: one that is over still gives every block its own result. */
function createStepHost(
  { kernel, agent, calls, given }: Step,
  stop: AbortController,
): PipelineHost {
  const { pipeline } = kernel
  let cause: Pick<Interrupt, 'code' | 'reason'> | undefined
  return {
    ...pipeline,
    scopeOf: () => agent.scope,
    enter(call) {
      pipeline.enter(call)
      calls.push(call)
      const { interrupt } = call
      if (kernel.closed) cause ??= { code: 'HOST_CLOSED', reason: closedError() }
      else if (agent.disposed) cause ??= { code: 'AGENT_DISPOSED', reason: disposedError(agent) }
      if (cause?.code !== undefined) interrupt.fire(cause.code, cause.reason)
      interrupt.onFire(() => {
        cause ??= { code: interrupt.code, reason: interrupt.reason }
        // Siblings get their own cause first; then bodies that only see the step's signal hear of it.
        if (given === undefined) queueMicrotask(() => stop.abort(interrupt.reason))
      })
    },
  }
}

interface Starting {
  readonly input: ReadInput
  isOver(): boolean
}

/** Starts one call when its class allows it; an exclusive one has committed when this resolves. */
async function startCall(step: Step, line: CommitLine, starting: Starting): Promise<void> {
  if (line.broken !== undefined) return
  const mode = starting.isOver() ? 'parallel' : await waitForTurn(step, line, starting.input)
  if (line.broken !== undefined) return
  // What ended the step is told by the step's host; the step's own signal only passes it on.
  const isPassedOn = step.given === undefined && starting.isOver()
  const signal = isPassedOn ? new AbortController().signal : starting.input.signal
  try {
    line.launch(await admitCall({ ...starting.input, signal }, line.host))
  } catch (error) {
    line.fail(error)
  }
  if (mode === 'exclusive') await line.drained()
}

async function waitForTurn(
  { kernel, agent }: Step,
  line: CommitLine,
  input: ReadInput,
): Promise<'parallel' | 'exclusive'> {
  const ask = (): Promise<{ readonly kind: 'parallel' | 'exclusive' }> =>
    executionMode(agent.scope, { name: input.name, arguments: input.args })
  await line.room(kernel.spec.maxParallelToolCalls)
  const { kind } = await ask()
  if (kind === 'parallel' || line.isIdle) return kind
  await line.drained()
  return (await ask()).kind // What drained may have changed the class.
}

function endStep(
  { kernel, agent, blocks, calls }: Step,
  results: readonly CallResult[],
  isOver: boolean,
): StepResult {
  const { journal } = kernel
  const contexts: JsonValue[] = []
  for (const [index, result] of results.entries()) {
    const callId = blocks[index]?.callId
    const cited = callId === undefined ? {} : { callId }
    for (const message of result.additionalContexts ?? []) {
      contexts.push(message)
      journal.append(agent, 'context/message', { message, from: 'result', ...cited })
    }
  }
  const aborted = isOver ? { aborted: true as const } : {}
  journal.append(agent, 'step/end', { results: results.length, ...aborted })
  agent.step = undefined
  const concluded =
    calls.some((call) => call.endsStep) ||
    results.some((result) => !result.isError && result.concludesTurn === true)
  return { results, contexts, notices: agent.disposed ? [] : journal.takeNotices(agent), concluded }
}

// A step may wait for its turn; whose array it was may be used for something else by then.
function copyBlock(block: ToolCallBlock): ToolCallBlock {
  const { callId, name, arguments: args } = Object(block) as ToolCallBlock
  return { callId, name, arguments: args }
}

function toInput(call: ToolCallBlock, agent: AgentState, signal: AbortSignal): ReadInput {
  const { callId, name } = call
  const given: unknown = call.arguments
  const input = readInput({ callId, name, agent: agent.ref, signal, arguments: undefined })
  if (typeof given !== 'string') return { ...input, args: given }
  if (given.trim() === '') return { ...input, args: {} }
  try {
    scanJsonText(given, DEFAULT_JSON_LIMITS)
    return { ...input, args: JSON.parse(given) as unknown }
  } catch (error) {
    if (isCaissonError(error) && error.code === 'JSON_LIMIT') return { ...input, fault: error }
    // Not JSON: the text itself is the argument, and a tool that validates says what is wrong.
    return { ...input, args: given }
  }
}
