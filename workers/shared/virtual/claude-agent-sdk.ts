/** What `@anthropic-ai/claude-agent-sdk` offers those who write tools; the rest of it starts agents. */
export function createClaudeAgentSdk(): object {
  return {
    tool: (name: unknown, description: unknown, inputSchema: unknown, handler: unknown) => ({
      name,
      description,
      inputSchema,
      handler,
    }),
    createSdkMcpServer: (options: { readonly name?: unknown; readonly tools?: unknown }) => ({
      type: 'sdk',
      name: options.name,
      tools: options.tools,
    }),
    query() {
      throw new Error('query() starts an agent, which a sandboxed tool cannot')
    },
  }
}
