import { CaissonError } from '../errors/caisson-error.ts'
import { toDeclarations } from '../code-mode/declarations.ts'
import { createInlineBody } from '../engine/inline/engine.ts'
import { runCall } from '../pipeline/run.ts'
import { findTool, inheritedTools, visibleTools, type Restriction } from '../registry/layer.ts'
import { parseDefinition } from '../registry/parse-definition.ts'
import { codeToolOf, presentationOf, type Presentation } from '../registry/presentation.ts'
import { readDefinition } from '../registry/read-definition.ts'
import type { Registration } from '../registry/registration.ts'
import type { Scope } from '../registry/scope.ts'
import type { AgentRef, CallInput, CallResult } from '../types/call.ts'
import type { Disposer, Guard } from '../types/decision.ts'
import type { JsonObject } from '../types/json.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { executionMode, type ExecutionMode } from './execution-mode.ts'
import type { Kernel } from './kernel.ts'
import { toHints, type ToolHints } from './tool-hints.ts'
import { parseRegisterOptions, type RegisterOptions } from './register-options.ts'

export type { RegisterOptions } from './register-options.ts'
import type { LoadedTools, LoadOptions } from './load.ts'

/** What the model is told of a tool. */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** A registered tool as its operator sees it. */
export interface ToolInfo extends ToolSchema {
  readonly engine: Registration['body']['engine']
  readonly profile?: string
  readonly source?: string
  readonly format?: string
  readonly timeoutMs?: number
  readonly idempotent: boolean
  readonly outputSchema: JsonObject
  readonly hints: ToolHints
}

/** What the scheduling class of a call is asked for. */
export type ModeInput = Pick<CallInput, 'name' | 'arguments' | 'agent'>

/** The tools of a host, or of one agent. */
export interface ToolsApi {
  /** Registers an operator's own definition; it runs inline, in the host. */
  register(definition: ToolDefinition, options?: RegisterOptions): Disposer
  /** Loads a source into its sandbox; rejects with `LOAD_FAILED`, and then nothing is registered. */
  load(source: string, options?: LoadOptions): Promise<LoadedTools>
  guard(guard: Guard): Disposer
  /** How these tools are shown to a model, until disposed; the nearest word counts. Default `native`. */
  presentAs(mode: Presentation): Disposer
  get(name: string): ToolInfo | undefined
  schemas(): ToolSchema[]
  /** Whether a call may overlap others; never rejects. */
  executionMode(input: ModeInput): Promise<ExecutionMode>
  /** Runs one call; rejects only for a broken input, everything else is a result. */
  execute(input: CallInput): Promise<CallResult>
}

/** The same for an agent, with a filter on what it inherits. */
export interface AgentToolsApi extends ToolsApi {
  restrict(restriction: Restriction): Disposer
}

const INLINE_GRACE_MS = 50
const INLINE_LOG_BYTES = 64 * 1024

/** Creates the tool API of one scope. `check` throws when the scope is no longer usable. */
export function createToolsApi(
  kernel: Kernel,
  scope: Scope,
  agent: AgentRef | undefined,
  check: () => void,
): AgentToolsApi {
  const changed = <T extends Disposer>(dispose: T): Disposer => {
    kernel.emit(scope, 'tools/change')
    let done = false
    return () => {
      if (done) return
      done = true
      dispose()
      kernel.emit(scope, 'tools/change')
    }
  }
  return {
    register(definition, options = {}) {
      check()
      const registration = createInlineRegistration(kernel, definition, options)
      return changed(scope.layer.add(registration))
    },
    async load(source, options = {}) {
      check()
      return kernel.load(scope, source, options)
    },
    guard(guard) {
      check()
      return scope.guards.add(guard)
    },
    get(name) {
      const found = findTool(scope, name)
      return found === undefined ? undefined : toInfo(found)
    },
    presentAs(mode) {
      check()
      return changed(scope.code.present(mode))
    },
    schemas: () => shownTools(scope).map(toSchema),
    executionMode: (input) =>
      executionMode(agent === undefined ? () => kernel.scopeOf(input.agent) : scope, input),
    execute: (input) => runCall(input, kernel.pipeline, agent),
    restrict(restriction) {
      check()
      return changed(scope.layer.restrict(parseRestriction(restriction, scope)))
    },
  }
}

/** What a model is shown, in order. */
function shownTools(scope: Scope): ShownTool[] {
  const visible = [...visibleTools(scope).values()]
  const runCode = codeToolOf(scope)
  if (runCode === undefined) return visible
  const description = `${runCode.description}\n\n${toDeclarations(visible)}`
  const shown = { name: runCode.name, parameters: runCode.parameters, description }
  return presentationOf(scope) === 'code' ? [shown] : [...visible, shown]
}

type ShownTool = Pick<Registration, 'name' | 'description' | 'parameters'>

function toSchema({ name, description, parameters }: ShownTool): ToolSchema {
  return { name, description, parameters: structuredClone(parameters) }
}

function createInlineRegistration(
  kernel: Kernel,
  definition: unknown,
  given: RegisterOptions,
): Registration {
  const { fields, functions } = readDefinition(definition)
  const options = parseRegisterOptions(given)
  const parsed = parseDefinition(fields, { checkArguments: options.validateArguments !== false })
  return {
    ...parsed,
    operator: {
      graceMs: INLINE_GRACE_MS,
      logBytes: INLINE_LOG_BYTES,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      ...(options.retry === undefined ? {} : { retry: options.retry }),
      ...(options.idempotent === undefined ? {} : { idempotent: options.idempotent }),
      ...(options.policy === undefined ? {} : { policy: options.policy }),
    },
    body: createInlineBody(parsed.name, functions, kernel.diagnose),
  }
}

function toInfo(registration: Registration): ToolInfo {
  const { name, description, parameters, body, operator, idempotent } = registration
  return Object.freeze({
    name,
    description,
    parameters,
    engine: body.engine,
    idempotent: operator.idempotent ?? idempotent,
    outputSchema: registration.outputSchema,
    hints: toHints(registration),
    ...(operator.profile === undefined ? {} : { profile: operator.profile }),
    ...(registration.source === undefined ? {} : { source: registration.source }),
    ...(registration.format === undefined ? {} : { format: registration.format }),
    ...(registration.timeoutMs === undefined ? {} : { timeoutMs: registration.timeoutMs }),
  })
}

function parseRestriction(given: Restriction, scope: Scope): Restriction {
  const { allow: allowed, deny: denied, ...unknown } = Object(given) as Restriction
  const allow = copyNames(allowed, 'allow')
  const deny = copyNames(denied, 'deny')
  const [odd] = Object.keys(unknown)
  if (odd !== undefined) throw new CaissonError('CONFIG_INVALID', `restrict(): unknown key ${odd}`)
  if (allow === undefined && deny === undefined) {
    throw new CaissonError('CONFIG_INVALID', 'restrict(): name tools to allow or to deny')
  }
  const known = [...inheritedTools(scope).keys()]
  for (const name of [...(allow ?? []), ...(deny ?? [])]) {
    if (known.includes(name)) continue
    const text = `restrict(): no tool '${name}' is inherited; known: ${known.join(', ') || 'none'}`
    throw new CaissonError('CONFIG_INVALID', text, { tool: name, known })
  }
  return { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) }
}

function copyNames(names: unknown, key: string): string[] | undefined {
  if (names === undefined) return undefined
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return [...names]
  throw new CaissonError('CONFIG_INVALID', `restrict(): ${key} must be an array of tool names`)
}
