import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'

export interface WebFetchArguments {
  readonly url: string
  readonly format?: 'markdown' | 'raw'
  readonly max_characters?: number
}

/** What a fetched page came to. */
export interface WebPage {
  readonly url: string
  readonly statusCode: number
  readonly contentType: string
  readonly title?: string
  readonly text: string
  readonly truncated: boolean
}

/** `web_fetch` without its body, which runs in an isolate: what a page says is nobody's word. */
export function createWebFetchDefinition(): ToolDefinition {
  return defineTool({
    name: 'web_fetch',
    description:
      'Fetches a page over http(s) from a host that the operator allows, and gives its main text as' +
      ' Markdown. Other texts (JSON, plain) are given as they are.',
    parameters: {
      url: { type: 'string', required: true, description: 'Absolute http or https URL' },
      format: {
        type: 'string',
        enum: ['markdown', 'raw'],
        description: 'raw gives the text as it was sent; markdown unless said',
      },
      max_characters: { type: 'integer', description: '50000 unless said, at most 400000' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          url: { type: 'string', required: true },
          statusCode: { type: 'integer', required: true },
          contentType: { type: 'string', required: true },
          title: { type: 'string' },
          text: { type: 'string', required: true },
          truncated: { type: 'boolean', required: true },
        },
      },
      render: (_args, page) => [{ type: 'text', text: drawPage(page) }],
      presentationMeta: (_args, { url, statusCode, truncated }) => ({ url, statusCode, truncated }),
    },
    execute: () => {
      throw new TypeError('web_fetch has no body of its own')
    },
    isConcurrencySafe: () => true,
    presentCall: ({ url }) => ({ card: 'generic', title: `Fetch ${url}`, kind: 'fetch' }),
    presentResult(_args, { isError, meta }) {
      if (isError) return undefined
      const { url, statusCode, truncated } = meta as unknown as WebPage
      return { card: 'web', kind: 'fetch', url, statusCode, truncated }
    },
  })
}

function drawPage({ statusCode, title, text, truncated }: WebPage): string {
  return [
    ...(statusCode >= 400 ? [`HTTP ${statusCode}`] : []),
    ...(title === undefined ? [] : [`# ${title}`]),
    text,
    ...(truncated ? ['(there is more)'] : []),
  ].join('\n\n')
}
