import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom/worker'
import TurndownService from 'turndown/lib/turndown.browser.es.js'
import type { WebFetchArguments, WebPage } from '../../src/builtin/web-fetch.ts'
import type { ToolDefinition } from '../../src/types/tool.ts'

const DEFAULT_CHARACTERS = 50_000
const MAX_CHARACTERS = 400_000
const TEXTUAL = /^(text\/|application\/(json|xml|javascript|[\w.+-]+\+(json|xml)))/i

/** The body of `web_fetch`: the broker says which hosts there are; what it shows is the host's to say. */
export const webFetch: ToolDefinition = {
  name: 'web_fetch',
  description: 'Fetches a page.',
  parameters: { type: 'object' },
  output: { schema: {}, render: () => [] },
  async execute(args: WebFetchArguments, exec): Promise<WebPage> {
    const { url, format = 'markdown', max_characters = DEFAULT_CHARACTERS } = args
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
}

interface Links {
  querySelectorAll(selector: string): Iterable<{
    getAttribute(name: string): string | null
    setAttribute(name: string, value: string): void
  }>
}

/** The main part of a page, or all of its body where none stands out. */
function toMarkdown(html: string, url: string): { readonly title: string; readonly text: string } {
  // This parser takes what it is given as it is: a page without a body has none.
  const whole = /<body[\s>]/i.test(html) ? html : `<html><head></head><body>${html}</body></html>`
  const { document } = parseHTML(whole)
  const title = (document.querySelector('title')?.textContent ?? '').trim().slice(0, 300)
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  turndown.remove(['script', 'style', 'noscript', 'iframe', 'title'] as never)
  const body = document.body?.innerHTML ?? html
  const article = readArticle(document)
  const { document: part } = parseHTML(
    `<html><body>${article === '' ? body : article}</body></html>`,
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
