import type { Answerer, ApprovalAnswer, ApprovalQuestion } from './types.ts'

/** What is asked of an MCP client: one flat form, with nothing secret in it. */
export interface ElicitationForm {
  readonly message: string
  readonly requestedSchema: {
    readonly type: 'object'
    readonly properties: {
      readonly decision: {
        readonly type: 'string'
        readonly enum: readonly ['allow', 'reject']
        readonly description: string
      }
      readonly note: {
        readonly type: 'string'
        readonly maxLength: number
        readonly description: string
      }
    }
    readonly required: readonly ['decision']
  }
}

export interface ElicitationOptions {
  readonly id: string
  /** Sends the form; rejects when the request fails. The signal cancels it. */
  elicit(form: ElicitationForm, signal: AbortSignal): Promise<unknown>
  /** Whether the client said that it shows forms, and serves the asking agent. */
  isAvailable(question: ApprovalQuestion): boolean
  /** Whether it is asked about locked asks: who drives the model may answer for it. */
  readonly locked: boolean
}

const MAX_NOTE = 1_000

/** The person behind an MCP client. Whatever is no plain answer withdraws. */
export function createElicitationAnswerer(options: ElicitationOptions): Answerer {
  return {
    id: options.id,
    kind: 'human',
    available: (question) => (!question.locked || options.locked) && options.isAvailable(question),
    async ask(question, signal) {
      return parseElicitation(await options.elicit(composeForm(question), signal))
    },
  }
}

function composeForm(question: ApprovalQuestion): ElicitationForm {
  return {
    message: composeMessage(question),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          enum: ['allow', 'reject'],
          description: 'allow runs this call once; reject refuses it',
        },
        note: { type: 'string', maxLength: MAX_NOTE, description: 'kept in the record' },
      },
      required: ['decision'],
    },
  }
}

function composeMessage({
  tool,
  risk,
  locked,
  reasons,
  arguments: args,
  shortened,
  seconds,
  suggestion,
}: ApprovalQuestion): string {
  const why = reasons.map(({ code, text }) => `${text} (${code})`).join('; ')
  return [
    `Approval needed for a call of '${tool}'${risk === undefined ? '' : `, risk ${risk}`}${locked ? ', locked' : ''}.`,
    ...(why === '' ? [] : [`Why: ${why}.`]),
    `Arguments${shortened ? ' (shortened)' : ''}: ${args}`,
    ...(suggestion === undefined ? [] : [`Suggestion: ${suggestion}`]),
    ...(seconds === undefined ? [] : [`It is decided without you in ${seconds} seconds.`]),
  ].join('\n')
}

function parseElicitation(given: unknown): ApprovalAnswer | undefined {
  const { action, content } = Object(given) as { action?: unknown; content?: unknown }
  if (action === 'decline') return { decision: 'reject' }
  if (action !== 'accept') return undefined
  const { decision, note } = Object(content) as { decision?: unknown; note?: unknown }
  if (decision !== 'allow' && decision !== 'reject') return undefined
  return { decision, scope: 'once', ...(typeof note === 'string' ? { note } : {}) }
}
