import { createInlineBody } from '../engine/inline/engine.ts'
import { notStarted } from '../engine/process/command-outcome.ts'
import { runShellLine, type ShellLine, type ShellSpec } from '../engine/process/shell-body.ts'
import { isCaissonError } from '../errors/caisson-error.ts'
import { parseDefinition } from '../registry/parse-definition.ts'
import { readDefinition } from '../registry/read-definition.ts'
import type { OperatorSettings, Registration } from '../registry/registration.ts'
import type { BodyJob, Lane, ToolBody } from '../types/engine.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { createApplyPatchTool } from './apply-patch.ts'
import { createAskUserTool, type UserBackend } from './ask-user.ts'
import {
  createBashDefinition,
  DEFAULT_BASH_TIMEOUT_MS,
  MAX_BASH_TIMEOUT_MS,
  type SandboxMode,
} from './bash.ts'
import { createEditTool } from './edit.ts'
import { createListTool } from './list.ts'
import { judgeMode } from './mode-guard.ts'
import type { BuiltinOptions } from './options.ts'
import { createReadTool } from './read.ts'
import { createSearchTool } from './search.ts'
import type { BuiltinServices } from './services.ts'
import { createSubagentTool, type SubagentBackend } from './subagent.ts'
import { createTodoWriteTool } from './todo-write.ts'
import { createWebFetchDefinition } from './web-fetch.ts'
import { createWriteTool } from './write.ts'

/** How an operator's tools are called when they come with the host. */
export const BUILTIN_SOURCE = 'builtin'

/** Back ends of an embedder; a tool without its back end is left out. */
export interface BuiltinBackends {
  readonly askUser?: UserBackend
  readonly subagent?: SubagentBackend
}

export interface PackSpec {
  readonly options: BuiltinOptions
  readonly backends: BuiltinBackends
  readonly services: BuiltinServices
  /** What the operator settled for all tools of the pack. */
  readonly operator: OperatorSettings
  /** What runs shell lines in a mode. */
  shell(mode: SandboxMode): ShellSpec
  readonly fetch: FetchSpec
  diagnose(text: string): void
}

/** Where pages are fetched: an isolate that is put up with the first of them. */
export interface FetchSpec {
  readonly lane: Lane
  readonly operator: OperatorSettings
  body(): Promise<ToolBody>
}

/** The tools of the pack, ready to be registered; nothing is started for them. */
export function createPack(spec: PackSpec): Registration[] {
  const { services, options, backends } = spec
  const inline = [
    createReadTool(services),
    createWriteTool(services),
    createEditTool(services),
    createApplyPatchTool(services),
    createListTool(services),
    createSearchTool(services),
    createTodoWriteTool(services, options.todo),
    ...(backends.askUser === undefined ? [] : [createAskUserTool(backends.askUser)]),
    ...(backends.subagent === undefined ? [] : [createSubagentTool(backends.subagent)]),
  ]
  return [
    ...inline.map((definition) => toRegistration(spec, definition)),
    createBash(spec),
    createWebFetch(spec),
  ]
}

function toRegistration(spec: PackSpec, definition: ToolDefinition): Registration {
  const { fields, functions } = readDefinition(definition)
  const parsed = parseDefinition(fields, { checkArguments: true })
  return {
    ...parsed,
    operator: spec.operator,
    source: BUILTIN_SOURCE,
    format: BUILTIN_SOURCE,
    body: createInlineBody(parsed.name, functions, spec.diagnose, true),
  }
}

function createWebFetch(spec: PackSpec): Registration {
  const { fetch } = spec
  const made = toRegistration(spec, createWebFetchDefinition())
  const body: ToolBody = {
    engine: 'isolate',
    lane: fetch.lane,
    async run(job) {
      const inner = await fetch.body().catch(toUnavailable)
      return 'run' in inner ? await inner.run(job) : { ...inner, prepareMs: 0, bodyMs: 0 }
    },
    project: made.body.project,
  }
  return { ...made, operator: fetch.operator, body }
}

function toUnavailable(error: unknown): ReturnType<typeof notStarted> {
  if (!isCaissonError(error)) throw error
  const { code } = error
  return notStarted(code === 'LOAD_FAILED' ? 'ENGINE_UNAVAILABLE' : code, error.message)
}

/** Longer than a line may take, so that the line's own deadline is the one that rings. */
const BASH_CEILING_MS = MAX_BASH_TIMEOUT_MS + 30_000

function createBash(spec: PackSpec): Registration {
  const { bash } = spec.options
  const made = toRegistration(spec, createBashDefinition(bash.mode))
  const shells = new Map<SandboxMode, ShellSpec>()
  const shellOf = (mode: SandboxMode): ShellSpec => {
    const known = shells.get(mode) ?? spec.shell(mode)
    shells.set(mode, known)
    return known
  }
  const body: ToolBody = {
    engine: 'process',
    lane: shellOf(bash.mode).lane,
    async run(job) {
      const line = tryLine(spec, job)
      if ('kind' in line) return { ...line, prepareMs: 0, bodyMs: 0 }
      return await runShellLine(shellOf(line.sandbox), line, job)
    },
    project: made.body.project,
  }
  const operator: OperatorSettings = {
    ...spec.operator,
    maxTimeoutMs: BASH_CEILING_MS,
    graceMs: BASH_GRACE_MS,
    widens: (args) => judgeMode({ arguments: args }, spec.options)?.kind === 'ask',
  }
  return { ...made, timeoutMs: BASH_CEILING_MS, operator, body }
}

const BASH_GRACE_MS = 2_000

interface BashArguments {
  readonly command: string
  readonly cwd?: string
  readonly timeout_ms?: number
  readonly sandbox?: SandboxMode
}

type ModedLine = ShellLine & { readonly sandbox: SandboxMode }

function tryLine(spec: PackSpec, job: BodyJob): ModedLine | ReturnType<typeof notStarted> {
  try {
    return toLine(spec, job)
  } catch (error) {
    if (!isCaissonError(error)) throw error
    return notStarted(error.code, error.message, error.facts)
  }
}

function toLine({ options, services }: PackSpec, { exec }: BodyJob): ModedLine {
  // They have been validated against the tool's own schema.
  const { command, cwd, timeout_ms, sandbox } = exec.arguments as unknown as BashArguments
  const asked = Math.max(1, timeout_ms ?? DEFAULT_BASH_TIMEOUT_MS)
  return {
    command,
    folder: services.toFolder(cwd ?? ''),
    timeoutMs: Math.min(asked, MAX_BASH_TIMEOUT_MS),
    sandbox: sandbox ?? options.bash.mode,
  }
}
