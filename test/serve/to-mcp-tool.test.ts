import { expect, test } from 'vitest'
import type { ToolInfo } from '../../src/host/tools-api.ts'
import { toMcpTool } from '../../src/serve/to-mcp-tool.ts'

test('a schema loses what would make clients send arguments as headers, and nothing else', () => {
  const parameters = {
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region', default: { 'x-mcp-header': 'kept' } },
      'x-mcp-header': { type: 'string' },
    },
    anyOf: [{ properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } }],
  }
  const info = {
    name: 't',
    description: 'd',
    parameters,
    outputSchema: {},
    hints: { readOnly: true, openWorld: false },
    idempotent: false,
  } as unknown as ToolInfo
  expect(toMcpTool(info).inputSchema).toEqual({
    type: 'object',
    properties: {
      region: { type: 'string', default: { 'x-mcp-header': 'kept' } },
      'x-mcp-header': { type: 'string' },
    },
    anyOf: [{ properties: { zone: { type: 'string' } } }],
  })
})
