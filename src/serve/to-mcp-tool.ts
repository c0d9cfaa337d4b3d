import type { Tool } from '@modelcontextprotocol/server'
import type { ToolInfo } from '../host/tools-api.ts'

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
    inputSchema: { type: 'object', ...parameters } as Tool['inputSchema'],
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
