const MAX_NAMES = 6
const MAX_NAME = 40

/** What a source without a tool exports, and what would have been one; one line. */
export function describeExports(exports: unknown): string {
  const names = isRecord(exports) ? Object.keys(exports) : []
  const shown = names.slice(0, MAX_NAMES).map((name) => {
    return `${shorten(name)} (${describe(Reflect.get(Object(exports), name))})`
  })
  const rest = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : []
  const found = isRecord(exports) ? [...shown, ...rest].join(', ') || 'nothing' : describe(exports)
  return `it exports no tool; found: ${found}; ${ACCEPTED}`
}

/** What would have been a tool. */
export const ACCEPTED: string =
  'accepted are a defineTool result, a plugin (apply(ctx)), a tool object of ai-sdk, mastra, ' +
  'openai-agents, anthropic, claude-agent-sdk, langchain or opencode, a pi extension, and a default function beside ' +
  'an exported parameters schema'

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (!isRecord(value)) return value === null ? 'null' : typeof value
  const keys = Object.keys(value)
  const more = keys.length > MAX_NAMES ? ', …' : ''
  const listed = keys.slice(0, MAX_NAMES).map(shorten).join(', ')
  return keys.length === 0 ? 'object' : `object with ${listed}${more}`
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function shorten(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
}
