import { SdkError, SdkErrorCode, type Tool } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Connection } from './connection.ts'
import { toReason } from './reason.ts'

export interface ListOptions {
  /** For all pages together. */
  readonly timeoutMs: number
  /** Told of a tool that is left out, and why. */
  diagnose(text: string): void
}

const MAX_PAGES = 64
const MAX_TOOLS = 1_000
const MAX_SHOWN = 100
const MAX_FAULTS = 10

/**
 * What a server offers: tools that are formed like one, each name once. Throws what the requests
 * throw, and when it takes too long.
 */
export async function listTools(connection: Connection, options: ListOptions): Promise<Tool[]> {
  const { client } = connection
  // Without the capability the client would say so on this program's own standard output.
  if (client.getServerCapabilities()?.tools === undefined) return []
  const signal = AbortSignal.timeout(options.timeoutMs)
  try {
    const faults: string[] = []
    const tools = select(
      await listAll(connection, { timeout: options.timeoutMs, signal }, faults),
      faults,
    )
    for (const fault of faults.slice(0, MAX_FAULTS)) options.diagnose(fault)
    const more = faults.length - MAX_FAULTS
    if (more > 0) options.diagnose(`and so are ${more} more of its tools`)
    return tools
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`it did not say within ${options.timeoutMs} ms which tools it has`)
  }
}

interface Given {
  readonly timeout: number
  readonly signal: AbortSignal
}

async function listAll(connection: Connection, given: Given, faults: string[]): Promise<Tool[]> {
  try {
    return (await connection.client.listTools(undefined, given)).tools
  } catch (error) {
    const isForm = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
    if (!isForm) throw error
    // One tool that is formed badly must not take all others with it.
    return await listLoosely(connection, given, faults)
  }
}

const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })
const object = z.record(z.string(), z.unknown())
const tool = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: object.refine(({ type }) => type === 'object', 'type: expected "object"'),
  outputSchema: object.optional(),
  annotations: object.optional(),
})

async function listLoosely(
  { client }: Connection,
  given: Given,
  faults: string[],
): Promise<Tool[]> {
  const found: Tool[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { tools, nextCursor } = await client.request(
      { method: 'tools/list', params },
      page,
      given,
    )
    for (const offered of tools) {
      const { success, data, error } = tool.safeParse(offered)
      if (success) found.push(data as Tool)
      else {
        const { name } = Object(offered) as { name?: unknown }
        const why = toReason(new Error(`tool: ${error.message}`))
        faults.push(`${shownName(name)} is left out: ${why}`)
      }
    }
    if (nextCursor === undefined) return found
    cursor = nextCursor
  }
  throw new Error(`its list of tools has more than ${MAX_PAGES} pages`)
}

function select(offered: readonly Tool[], faults: string[]): Tool[] {
  const byName = new Map<string, Tool>()
  for (const each of offered) {
    const { name } = each
    if (name === '' || name === '__proto__') faults.push(`${shownName(name)} is left out: no name`)
    else if (byName.has(name)) faults.push(`${shownName(name)} is left out: it is there already`)
    else if (byName.size >= MAX_TOOLS)
      faults.push(`${shownName(name)} is left out: a server may have ${MAX_TOOLS} tools`)
    else byName.set(name, each)
  }
  return [...byName.values()]
}

function shownName(name: unknown): string {
  return `tool ${JSON.stringify(String(name).slice(0, MAX_SHOWN))}`
}
