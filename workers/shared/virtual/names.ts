/** Packages answered by code of our own inside a sandbox; a subpath of one means the package. */
export const VIRTUAL_MODULES: readonly string[] = [
  'caisson',
  'cordis',
  'schemastery',
  '@anthropic-ai/claude-agent-sdk',
  '@deepseek-ai/cordis',
  '@deepseek-ai/dsh-llm',
  '@deepseek-ai/dsh-tools',
  '@deepseek-ai/dsh-util-values',
  '@deepseek-ai/schemastery',
]
