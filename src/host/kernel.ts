import { resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import { createApprovals, type Adjudicator } from '../approval/service.ts'
import { createReadBeforeEdit } from '../broker/fs/gates.ts'
import { createFairQueue } from '../queue/fair-queue.ts'
import type { Call } from '../pipeline/call.ts'
import { unknownAgent, unknownParent } from '../pipeline/materialize-call.ts'
import { traceCalls } from '../observe/trace-calls.ts'
import type { PipelineHost } from '../pipeline/run.ts'
import { createOrderSource } from '../registry/hub.ts'
import type { Scope } from '../registry/scope.ts'
import type { InterruptCode } from '../signals/interrupt.ts'
import type { AgentRef, CallToken } from '../types/call.ts'
import type { FileObservation } from '../types/events.ts'
import type { JsonValue } from '../types/json.ts'
import { AGENT_BRAND, type AgentState } from './agent-state.ts'
import { closedError, disposedError, findDisposed, isBelow } from './alive.ts'
import { createCapabilities, type HostCapabilities } from './capabilities.ts'
import { createEmitter } from './emitter.ts'
import { createFileGates } from './file-gates.ts'
import { createInjectCapability } from './inject-capability.ts'
import { createJournal, type Journal } from './journal.ts'
import type { SourceLoader } from './load.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { newScope } from './new-scope.ts'
import { version } from './version.ts'
import type { HostSpec } from './spec.ts'

/** The state all parts of a host share, and the pipeline's view of it. */
export interface Kernel {
  readonly spec: HostSpec
  readonly root: Scope
  readonly journal: Journal
  readonly metrics: Metrics
  readonly pipeline: PipelineHost
  readonly closed: boolean
  /** Loads sources into a scope; set once by the host that owns the engines. */
  readonly load: SourceLoader
  attachLoader(loader: SourceLoader): void
  /** Puts who decides about asks, and what is taken out of results, in their places; once. */
  attachApproval(seat: ApprovalSeat): void
  /** Calls under way. */
  liveCalls(): Iterable<Call>
  /** A notice was injected into an agent, or had been in the session that was opened again. */
  heard(where: AgentState | string, message: JsonValue): void
  createScope(agentId: string, parent: Scope): Scope
  /** The scope calls of `agent` see. Throws when it is not a live agent of this host, or that is closed. */
  scopeOf(agent: AgentRef | undefined): Scope
  /** The record of an agent of this host. Throws `CONFIG_INVALID` for anybody else's. */
  agentStateOf(agent: object): AgentState
  /** The record of an agent of this host; undefined for anybody else's. */
  findAgent(agent: AgentRef): AgentState | undefined
  /** The call of that identity while it is under way. */
  callOf(token: CallToken): Call | undefined
  /** The agent and every live agent below it. */
  familyOf(agent: AgentState): AgentState[]
  /** Resolves when no call of the agent is under way. */
  settled(agent: AgentState): Promise<void>
  bindAgent(agent: AgentState): void
  unbindAgent(agent: AgentState): void
  emit(scope: Scope, event: string, ...args: unknown[]): void
  /** What host code of ours may use of the brokers, under a call's own grants. */
  readonly capabilities: HostCapabilities
  /** Gives an agent what it had seen of files before its session was reopened. */
  restoreFiles(agent: AgentRef, seen: ReadonlyMap<string, FileObservation>): void
  /** From now on no tool may write this file or folder of the host. Absolute. */
  protect(path: string): void
  diagnose(text: string): void
  /** Resolves when no call is under way. */
  idle(): Promise<void>
  /** Ends every live call with `code` and resolves when all have settled. */
  interruptAll(code: InterruptCode, reason: string): Promise<void>
  /** From now on new calls are refused with `HOST_CLOSED`. */
  shut(): void
}

/** What approval does in the pipeline. */
export interface ApprovalSeat {
  readonly adjudicator: Adjudicator
  readonly redact: PipelineHost['redact']
  /** Somebody said something to an agent, or had in the session of that id. */
  heard(where: AgentState | string, message: JsonValue): void
}

/** Creates a host's kernel; it owns no process and no file. */
export function createKernel(spec: HostSpec): Kernel {
  const order = createOrderSource()
  const root = newScope(order, undefined, undefined)
  const { emit, diagnose } = createEmitter(root, spec.logger)
  const live = new Map<CallToken, Call>()
  const agents = new WeakMap<object, AgentState>()
  const states = new Map<Scope, AgentState>()
  const metrics = createMetrics()
  let closed = false
  let loader: SourceLoader | undefined
  let seat: ApprovalSeat | undefined
  const waiting = new Set<() => void>()
  const ownFiles = new Set(spec.profileFolders.map((folder) => resolve(folder)))
  const unbind = new WeakMap<Call, () => void>()

  const until = (done: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!done()) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  const agentOf = (call: Call): AgentState | undefined => states.get(call.scope)
  const journal = createJournal({ agentOf, emit })
  const closedFor = (agent: AgentRef | undefined): CaissonError | undefined => {
    if (closed) return closedError()
    const state = agent === undefined ? undefined : agents.get(agent)
    const disposed = state === undefined ? undefined : findDisposed(state)
    return disposed === undefined ? undefined : disposedError(disposed)
  }
  const scopeOf = (agent: AgentRef | undefined): Scope => {
    const error = closedFor(agent)
    if (error !== undefined) throw error
    const state = agent === undefined ? undefined : agents.get(agent)
    if (state !== undefined || agent === undefined) return state?.scope ?? root
    // A look-alike would run past the guards and restrictions of the agent it looks like; an agent
    // that the host does not know has none.
    const known = [...states.values()].some(({ ref }) => ref.id === agent.id)
    if (known || AGENT_BRAND in agent) throw unknownAgent()
    return root
  }
  const enter = (call: Call): void => {
    const { parent, token, agent } = call.exec
    if (parent !== undefined) {
      const outer = live.get(parent)
      if (outer === undefined || outer.exec.agent !== agent) {
        call.interrupt.release()
        throw unknownParent()
      }
      outer.children ??= new Set()
      outer.children.add(call)
      const { interrupt } = outer
      const off = interrupt.onFire(() =>
        call.interrupt.fire(interrupt.code ?? 'ABORTED', interrupt.reason),
      )
      unbind.set(call, off)
    }
    live.set(token, call)
    agentOf(call)?.live.add(call)
  }
  const leave = (call: Call): void => {
    if (!live.delete(call.exec.token)) return
    call.interrupt.release()
    unbind.get(call)?.()
    agentOf(call)?.live.delete(call)
    if (call.exec.parent !== undefined) live.get(call.exec.parent)?.children?.delete(call)
    for (const child of call.children ?? [])
      child.interrupt.fire('ABORTED', 'its parent call has settled')
    for (const check of waiting) check()
  }
  const files = createReadBeforeEdit()
  const capabilities = createCapabilities(
    spec,
    {
      diagnose,
      announce(call, entry) {
        if (entry.late === true) metrics.countLateRequest(call.exec.name)
        emit(call.scope, 'tools/capability', call.exec, entry)
      },
      ownFiles: () => [...ownFiles],
      gates: (callOf) =>
        createFileGates(
          {
            callOf,
            timeoutMs: spec.policyTimeoutMs,
            observed(call, target, observation) {
              journal.observed(call, { target, observation, callId: call.exec.callId })
              emit(call.scope, 'fs/observed', target, observation, call.exec)
            },
          },
          files,
          spec.readBeforeEdit,
        ),
    },
    {
      inject: createInjectCapability((agent, notice) => agents.get(agent)?.ref.inject(notice)),
    },
  )
  const untraced: PipelineHost = {
    queue: createFairQueue(spec),
    queueTimeoutMs: spec.queueTimeoutMs,
    policyTimeoutMs: spec.policyTimeoutMs,
    defaultTimeoutMs: spec.defaultTimeoutMs,
    approvals: createApprovals(journal, {
      adjudicate: (ask) => seat?.adjudicator.adjudicate(ask),
    }),
    closedFor: ({ agent }) => closedFor(agent),
    scopeOf: (input) => scopeOf(input.agent),
    enter,
    leave,
    begin: (call) => journal.begin(call),
    commit: (call, result) => journal.commit(call, result),
    diagnose,
    measure: (call, outcome, ms) => metrics.measure(call.exec.name, outcome, ms),
    log: (call, level, text) => journal.log(call, level, text),
    progress: (call, update) => journal.progress(call, update),
    request: capabilities.request,
    tunnel: capabilities.tunnel,
    scrub: capabilities.scrub,
  }
  const { telemetry } = spec
  const pipeline = telemetry === undefined ? untraced : traceCalls(untraced, telemetry, version())
  return {
    spec,
    root,
    journal,
    metrics,
    pipeline,
    get closed() {
      return closed
    },
    load(scope, source, options) {
      if (loader === undefined)
        throw new CaissonError('ENGINE_UNAVAILABLE', 'no engine is attached')
      return loader(scope, source, options)
    },
    attachLoader(given) {
      loader = given
    },
    attachApproval(given) {
      seat = given
      pipeline.redact = given.redact
    },
    liveCalls: () => live.values(),
    heard: (where, message) => seat?.heard(where, message),
    createScope: (agentId, parent) => newScope(order, agentId, parent),
    scopeOf,
    agentStateOf(agent) {
      const state = agents.get(agent)
      if (state !== undefined) return state
      throw new CaissonError('CONFIG_INVALID', 'parent must be an agent of this host')
    },
    findAgent: (agent) => agents.get(agent),
    callOf: (token) => live.get(token),
    familyOf: (agent) => [...states.values()].filter((member) => isBelow(member, agent)),
    settled: (agent) => until(() => agent.live.size === 0),
    bindAgent(agent) {
      agents.set(agent.ref, agent)
      states.set(agent.scope, agent)
    },
    unbindAgent(agent) {
      states.delete(agent.scope)
    },
    emit,
    capabilities,
    restoreFiles: (agent, seen) => files.restore(agent, seen),
    protect: (path) => void ownFiles.add(path),
    diagnose,
    idle: () => until(() => live.size === 0),
    async interruptAll(code, reason) {
      const cause = new CaissonError(code, reason)
      for (const call of live.values()) call.interrupt.fire(code, cause)
      await until(() => live.size === 0)
    },
    shut() {
      closed = true
    },
  }
}
