/** What every name of a tool that nobody has is counted as; a tool cannot be called that. */
const UNKNOWN_TOOL = 'unknown tool'
/** What further names are counted as. */
const OTHER_TOOLS = 'other tools'

const MAX_NAMES = 500

/**
 * The values of a `tool` label: bounded in number, whatever tools come and go and whatever a model
 * makes up. The first 500 known names keep their own.
 */
export function createToolLabels(): (name: string, isKnown: boolean) => string {
  const names = new Set<string>()
  return (name, isKnown) => {
    if (names.has(name)) return name
    if (!isKnown) return UNKNOWN_TOOL
    if (names.size >= MAX_NAMES) return OTHER_TOOLS
    names.add(name)
    return name
  }
}
