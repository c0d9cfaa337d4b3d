import { createInlineBody } from '../engine/inline/engine.ts'
import { notStarted } from '../engine/process/command-outcome.ts'
import { defineTool } from '../registry/define-tool.ts'
import { parseDefinition } from '../registry/parse-definition.ts'
import { CODE_TOOL } from '../registry/presentation.ts'
import { readDefinition } from '../registry/read-definition.ts'
import type { Registration } from '../registry/registration.ts'
import type { BodyJob, BodyOutcome, Lane } from '../types/engine.ts'
import type { JsonValue } from '../types/json.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { runProgram, type ProgramRun } from './run-program.ts'

export interface RunCodeSpec {
  readonly lane: Lane
  /** When a program is ended at the latest. */
  readonly maxWallMs: number
  /** Everything one program needs besides its text. */
  prepare(job: BodyJob, text: string): Omit<ProgramRun, 'job'>
  diagnose(text: string): void
}

const GRACE_MS = 50
const LOG_BYTES = 64 * 1024
/** After its own wall clock, so that it is that clock that rings. */
const MARGIN_MS = 10_000

/** `run_code`: a program that calls the tools of its agent. */
export function createRunCode(spec: RunCodeSpec): Registration {
  const { fields, functions } = readDefinition(DEFINITION)
  // The name is reserved: nobody else can register it, and neither can this way.
  const parsed = parseDefinition({ ...fields, name: 'code' }, { checkArguments: true })
  const { project } = createInlineBody(CODE_TOOL, functions, spec.diagnose)
  return {
    ...parsed,
    name: CODE_TOOL,
    timeoutMs: spec.maxWallMs + MARGIN_MS,
    operator: { graceMs: GRACE_MS, logBytes: LOG_BYTES },
    source: 'builtin',
    format: 'builtin',
    body: { engine: 'isolate', lane: spec.lane, run: (job) => run(spec, job), project },
  }
}

async function run(spec: RunCodeSpec, job: BodyJob): Promise<BodyOutcome> {
  const begun = performance.now()
  const { code, description } = job.exec.arguments as unknown as Arguments
  if (description.trim() === '') {
    const text = 'description is blank: say in a few words what the program does'
    return { ...notStarted('TOOL_ERROR', text), prepareMs: 0, bodyMs: 0 }
  }
  const outcome = await runProgram({ job, ...spec.prepare(job, code) })
  return { ...outcome, prepareMs: 0, bodyMs: performance.now() - begun }
}

interface Arguments {
  readonly code: string
  readonly description: string
}

const DEFINITION: ToolDefinition = defineTool({
  name: CODE_TOOL,
  description:
    'Runs a TypeScript or JavaScript program that calls tools: `await tools.<name>(args)` gives the' +
    " tool's value. Print with console.log; `return` a JSON value, or end with an expression. There is" +
    ' nothing else to reach: no modules, no files, no network.',
  parameters: {
    code: {
      type: 'string',
      required: true,
      description: 'The program; await and return are allowed',
    },
    description: { type: 'string', required: true, description: 'What it does, in a few words' },
  },
  output: {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        logs: { type: 'array', required: true, items: { type: 'string' } },
        result: { type: 'json' },
      },
    },
    render: (_args, { logs, result }) => [{ type: 'text', text: drawOutput(logs, result) }],
  },
  execute: () => {
    throw new TypeError('run_code has no body of its own')
  },
  presentCall: ({ code, description }) => ({
    card: 'generic',
    title: description,
    kind: 'execute',
    content: [{ type: 'text', text: code }],
  }),
})

function drawOutput(logs: readonly string[], result: JsonValue | undefined): string {
  const shown = typeof result === 'string' ? result : toText(result)
  const parts = [logs.join('\n'), shown].filter((part) => part !== '')
  return parts.length === 0
    ? 'The program ended without printing or returning anything.'
    : parts.join('\n')
}

function toText(result: JsonValue | undefined): string {
  return result === undefined ? '' : JSON.stringify(result, null, 2)
}
