import type { Tool } from '@modelcontextprotocol/server'
import type { ToolInfo } from '../host/tools-api.ts'
import type { JsonValue } from '../types/json.ts'

const NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** Whether MCP has a way to name the tool. */
export function isServable({ name }: Pick<ToolInfo, 'name'>): boolean {
  return NAME.test(name)
}

/** A tool as an MCP client sees it. What it says of its effects is what its profile allows. */
export function toMcpTool(tool: ToolInfo): Tool {
  const { name, description, parameters, outputSchema, hints } = tool
  return {
    name,
    description,
    inputSchema: withoutHeaders({ type: 'object', ...parameters }) as Tool['inputSchema'],
    ...(outputSchema['type'] === 'object'
      ? { outputSchema: outputSchema as Tool['outputSchema'] }
      : {}),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: !hints.readOnly,
      idempotentHint: tool.idempotent,
      openWorldHint: hints.openWorld,
    },
  }
}

const HEADER = 'x-mcp-header'
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

// Arguments come in bodies alone: who sends one as a header too expects the two to be compared.
function withoutHeaders(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutHeaders)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== HEADER || typeof value !== 'string',
  )
  return Object.fromEntries(
    kept.map(([key, value]) => [key, DATA.has(key) ? value : withoutHeaders(value)]),
  )
}
