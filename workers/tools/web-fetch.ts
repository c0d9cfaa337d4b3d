import { Readability } from '@mozilla/readability'
import { defineTool } from 'caisson'
import { parseHTML } from 'linkedom/worker'
import TurndownService from 'turndown/lib/turndown.browser.es.js'

const DEFAULT_CHARACTERS = 50_000
const MAX_CHARACTERS = 400_000
const TEXTUAL = /^(text\/|application\/(json|xml|javascript|[\w.+-]+\+(json|xml)))/i

/** `web_fetch`: one page as text a model can read; the broker says which hosts there are. */
export const webFetch = defineTool({
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
    render: (_args, { statusCode, title, text, truncated }) => [
      {
        type: 'text',
        text: [
          ...(statusCode >= 400 ? [`HTTP ${statusCode}`] : []),
          ...(title === undefined ? [] : [`# ${title}`]),
          text,
          ...(truncated ? ['(there is more)'] : []),
        ].join('\n\n'),
      },
    ],
    presentationMeta: (_args, { url, statusCode, truncated }) => ({ url, statusCode, truncated }),
  },
  async execute({ url, format = 'markdown', max_characters = DEFAULT_CHARACTERS }, exec) {
    const response = await fetch(url, {
      signal: exec.signal,
      headers: { accept: 'text/html, text/*;q=0.9, application/json;q=0.8, */*;q=0.1' },
    })
    const contentType = response.headers.get('content-type') ?? ''
    if (contentType !== '' && !TEXTUAL.test(contentType)) {
      throw new Error(`the page is no text but ${contentType.slice(0, 80)}`)
    }
    const sent = await response.text()
    const isPage = /html/i.test(contentType) && format === 'markdown'
    const page = isPage ? toMarkdown(sent, response.url || url) : { text: sent }
    const room = Math.min(Math.max(1, max_characters), MAX_CHARACTERS)
    return {
      url: response.url || url,
      statusCode: response.status,
      contentType,
      ...('title' in page && page.title !== '' ? { title: page.title } : {}),
      text: page.text.slice(0, room),
      truncated: page.text.length > room,
    }
  },
  isConcurrencySafe: () => true,
  presentCall: ({ url }) => ({ card: 'generic', title: `Fetch ${url}`, kind: 'fetch' }),
  presentResult(_args, { isError, meta }) {
    if (isError) return undefined
    const { url, statusCode, truncated } = meta as {
      url: string
      statusCode: number
      truncated: boolean
    }
    return { card: 'web', kind: 'fetch', url, statusCode, truncated }
  },
})

interface Links {
  querySelectorAll(selector: string): Iterable<{
    getAttribute(name: string): string | null
    setAttribute(name: string, value: string): void
  }>
}

/** The main part of a page, or all of its body where none stands out. */
function toMarkdown(html: string, url: string): { readonly title: string; readonly text: string } {
  const { document } = parseHTML(html)
  const title = document.title.trim().slice(0, 300)
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  turndown.remove(['script', 'style', 'noscript', 'iframe'] as never)
  const whole = document.body?.innerHTML ?? html
  const article = readArticle(document)
  const { document: part } = parseHTML(
    `<html><body>${article === '' ? whole : article}</body></html>`,
  )
  const text = turndown.turndown(withAbsoluteLinks(part.body, url) as never).trim()
  return { title, text }
}

function readArticle(document: unknown): string {
  try {
    return new Readability(document as never, { charThreshold: 200 }).parse()?.content ?? ''
  } catch {
    return '' // A page it cannot make sense of is shown whole.
  }
}

function withAbsoluteLinks(body: Links, url: string): Links {
  for (const link of body.querySelectorAll('a[href]')) {
    const target = URL.parse(link.getAttribute('href') ?? '', url)
    if (target !== null) link.setAttribute('href', target.href)
  }
  return body
}
