import { composeProgram } from '../code-mode/compose-program.ts'
import { createRunCode } from '../code-mode/run-code.ts'
import type { CodeLimits } from '../code-mode/run-program.ts'
import { createSubCalls, type SubCalls } from '../code-mode/sub-calls.ts'
import type { IsolateEngine } from '../engine/isolate/engine.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { Bundler } from '../loader/bundler-client.ts'
import type { Call } from '../pipeline/call.ts'
import type { PipelineHost } from '../pipeline/run.ts'
import { visibleTools } from '../registry/layer.ts'
import type { Registration } from '../registry/registration.ts'
import { parseProfile } from '../sandbox/load-profiles.ts'
import type { CallResult } from '../types/call.ts'
import type { BodyJob } from '../types/engine.ts'
import type { CodeDispatchStartData } from '../types/events.ts'
import type { JsonValue } from '../types/json.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { AgentState } from './agent-state.ts'
import { executionMode } from './execution-mode.ts'
import type { Kernel } from './kernel.ts'

/** Limits of programs; every one has a default. */
export interface CodeModeSettings extends CodeLimits {
  readonly maxParallelSubCalls: number
  readonly memoryMb: number
}

export interface CodeModeParts {
  readonly bundler: Pick<Bundler, 'toProgram'>
  /** For programs alone: what they call waits for slots of its own. */
  readonly engine: IsolateEngine
}

/** The tool that runs programs, for every agent whose tools are shown as code. */
export function createCodeTool(kernel: Kernel, parts: CodeModeParts): Registration {
  const settings = kernel.spec.codeMode
  const profile = toProfile(settings)
  return createRunCode({
    lane: { name: 'code', slots: parts.engine.lane.slots },
    maxWallMs: settings.maxWallMs,
    diagnose: kernel.diagnose,
    prepare(job, text) {
      const call = kernel.callOf(job.exec.token)
      if (call === undefined) throw new CaissonError('PROTOCOL_ERROR', 'the call has settled')
      return {
        limits: settings,
        subCalls: createCalls(kernel, call, job),
        async load() {
          const names = [...visibleTools(call.scope).keys()]
          const code = composeProgram(await parts.bundler.toProgram(text), names)
          const source = { source: 'program', root: '/', entry: '/program.js', code }
          return await parts.engine.load(source, profile)
        },
      }
    },
  })
}

function toProfile({
  computeMs,
  maxWallMs,
  maxOutputBytes,
  memoryMb,
}: CodeModeSettings): SandboxProfile {
  const profile = parseProfile(
    {
      name: 'code',
      engine: 'isolate',
      limits: {
        timeoutMs: maxWallMs,
        cpuMs: computeMs,
        memoryMb,
        outputBytes: maxOutputBytes,
        logBytes: maxOutputBytes,
        capabilityCalls: 1_000_000,
      },
    },
    'code',
  )
  return { ...profile, toolCalls: true }
}

function createCalls(kernel: Kernel, call: Call, { services }: BodyJob): SubCalls {
  const { scope, exec } = call
  const agent = exec.agent === undefined ? undefined : kernel.findAgent(exec.agent)
  return createSubCalls({
    exec,
    host: toSubHost(kernel, agent, exec.callId),
    maxParallel: kernel.spec.codeMode.maxParallelSubCalls,
    isParallel: async (name, args) =>
      (await executionMode(scope, { name, arguments: args })).kind === 'parallel',
    committed(name, result) {
      for (const context of result.additionalContexts ?? []) services.deferContext(context)
      const images = result.content.filter(({ type }) => type === 'image')
      if (images.length > 0)
        services.deferContext({
          content: images as unknown as JsonValue,
          source: { kind: 'tool', tool: name },
        })
      if (!result.isError && result.concludesTurn === true) services.concludeTurn()
    },
  })
}

/** The pipeline for the calls of a program, which have events of their own. */
function toSubHost(
  kernel: Kernel,
  agent: AgentState | undefined,
  parentCallId: string,
): PipelineHost {
  const { journal, pipeline } = kernel
  const toStart = ({ exec }: Call): CodeDispatchStartData => ({
    rootCallId: exec.rootCallId,
    parentCallId,
    subCallId: exec.callId,
    name: exec.name,
    arguments: exec.arguments === undefined ? null : exec.arguments,
  })
  return {
    ...pipeline,
    begin(call) {
      if (agent !== undefined) journal.append(agent, 'tool/code-dispatch-start', toStart(call))
    },
    commit(call: Call, { isError, content }: CallResult) {
      if (agent === undefined) return
      journal.append(agent, 'tool/code-dispatch', { ...toStart(call), isError, content })
    },
  }
}
