import { defineTool } from '../registry/define-tool.ts'
import type { JsonObject } from '../types/json.ts'
import type { ToolDefinition } from '../types/tool.ts'

/** What a shell line may do, from the least to the most. */
export const SANDBOX_MODES = ['read-only', 'workspace-write', 'full-access'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

export const DEFAULT_BASH_TIMEOUT_MS = 120_000
export const MAX_BASH_TIMEOUT_MS = 600_000

/** What `bash` ended as. */
interface ShellValue {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
  readonly durationMs: number
}

/** `bash` without its body, which the process engine runs. */
export function createBashDefinition(mode: SandboxMode): ToolDefinition {
  return defineTool({
    name: 'bash',
    description:
      'Runs a shell line in a sandbox of its own that ends with it: no network, and of files the' +
      ` workspace (${mode}). Ends it after timeout_ms. A non-zero exit code is a result, no error.`,
    parameters: {
      command: { type: 'string', required: true, description: 'The line, as for bash -c' },
      description: { type: 'string', description: 'What it is for, in a few words' },
      cwd: { type: 'string', description: 'Folder below the workspace to run in' },
      timeout_ms: {
        type: 'integer',
        description: `Milliseconds, ${DEFAULT_BASH_TIMEOUT_MS} unless said, at most ${MAX_BASH_TIMEOUT_MS}`,
      },
      sandbox: {
        type: 'string',
        enum: SANDBOX_MODES,
        description: `What it may do; ${mode} unless said. More than that asks the user.`,
      },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          exitCode: { oneOf: [{ type: 'integer' }, { type: 'null' }], required: true },
          signal: { oneOf: [{ type: 'string' }, { type: 'null' }], required: true },
          stdout: { type: 'string', required: true },
          stderr: { type: 'string', required: true },
          truncated: { type: 'boolean', required: true },
          durationMs: { type: 'integer', required: true },
          sandbox: { type: 'string', enum: SANDBOX_MODES, required: true },
        },
      },
      render: (_args, value) => [{ type: 'text', text: drawEnd(value) }],
      presentationMeta: (_args, value) => toMeta(value),
    },
    execute: () => {
      throw new TypeError('bash has no body of its own')
    },
    presentCall: ({ command, description, cwd }) => ({
      card: 'terminal',
      title: command,
      ...(description === undefined ? {} : { description }),
      ...(cwd === undefined ? {} : { cwd }),
    }),
    presentResult(_args, { isError, meta }) {
      if (isError) return undefined
      const { exitCode, signal, output } = meta as unknown as ShellValue & { output: string }
      return {
        card: 'terminal',
        output,
        ...(exitCode === null ? {} : { exitCode }),
        ...(signal === null ? {} : { signal }),
      }
    },
  })
}

const CARD_OUTPUT = 16 * 1024

function toMeta(value: ShellValue): JsonObject {
  const { exitCode, signal } = value
  return { exitCode, signal, output: toOutput(value).slice(-CARD_OUTPUT) }
}

function toOutput({ stdout, stderr }: ShellValue): string {
  const gap = stdout !== '' && stderr !== '' && !stdout.endsWith('\n') ? '\n' : ''
  return `${stdout}${gap}${stderr}`
}

function drawEnd(value: ShellValue): string {
  const output = toOutput(value).trimEnd()
  const ended = value.signal === null ? `exit code ${value.exitCode}` : `ended by ${value.signal}`
  if (value.exitCode === 0) return output === '' ? '(no output)' : output
  return output === '' ? `(${ended})` : `${output}\n(${ended})`
}
