import { structuredPatch } from 'diff'
import type { JsonValue } from '../types/json.ts'
import type { ToolResultView, ViewDiff } from '../types/view.ts'

/** A change of one file by its applied hunks, small enough to be kept in a session log. */
interface HunkedChange {
  readonly path: string
  readonly isNew: boolean
  readonly hunks: readonly { readonly oldText: string; readonly newText: string }[]
}

const CONTEXT_LINES = 3
const MAX_EDITS = 2_000
const MAX_HUNK_CHARACTERS = 64 * 1024

/** What `presentationMeta` keeps of changes: the hunks, without the files around them. */
export function toDiffMeta(
  changes: readonly {
    readonly path: string
    readonly before: string | null
    readonly after: string | null
  }[],
): JsonValue {
  const files = changes.map(({ path, before, after }) => ({
    path,
    isNew: before === null,
    hunks: toHunks(before ?? '', after ?? ''),
  }))
  return { files }
}

/** The completed card of such a change; undefined when the meta is not ours. */
export function toDiffView(meta: JsonValue | undefined): ToolResultView | undefined {
  const { files } = Object(meta) as { files?: unknown }
  if (!Array.isArray(files)) return undefined
  const diffs = (files as readonly HunkedChange[]).flatMap(({ path, isNew, hunks }): ViewDiff[] =>
    hunks.map(({ oldText, newText }) => ({ path, oldText: isNew ? null : oldText, newText })),
  )
  return { card: 'diff', diffs }
}

function toHunks(before: string, after: string): HunkedChange['hunks'] {
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  })
  const hunks = patch?.hunks ?? [{ lines: [...mark('-', before), ...mark('+', after)] }]
  return hunks.map(({ lines }) => ({
    oldText: textOf(lines, '+'),
    newText: textOf(lines, '-'),
  }))
}

function mark(sign: string, text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => `${sign}${line}`)
}

/** The lines of one side: all but those of the other. */
function textOf(lines: readonly string[], other: string): string {
  const own = lines.filter((line) => !line.startsWith(other) && !line.startsWith('\\'))
  return own
    .map((line) => `${line.slice(1)}\n`)
    .join('')
    .slice(0, MAX_HUNK_CHARACTERS)
}
