const LISTED = /^([^[]*): (\[[\s\S]*\])$/
const MAX_LENGTH = 1_000

/** Why a request failed, in one line: of a list of issues the first. */
export function toReason(error: unknown): string {
  const text = error instanceof Error ? error.message : 'it failed and did not say why'
  const [, what = '', list] = LISTED.exec(text) ?? []
  const issue = list === undefined ? undefined : toFirstIssue(list)
  const line = issue === undefined ? text : `${what}: ${issue}`
  return line.slice(0, MAX_LENGTH)
}

function toFirstIssue(list: string): string | undefined {
  try {
    const [first] = JSON.parse(list) as { path?: unknown[]; message?: unknown }[]
    return `${(first?.path ?? []).join('.')}: ${String(first?.message)}`
  } catch {
    return undefined // It only looked like a list.
  }
}
