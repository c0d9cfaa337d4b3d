import type { JsonValue } from '../types/json.ts'

/** What users said to the agents of each root session, oldest first. */
export interface UserMessages {
  /** Keeps a message that a user wrote; everything else is passed over. */
  note(root: string, message: JsonValue): void
  list(root: string): readonly string[]
  drop(root: string): void
}

const MAX_KEPT = 50

/** Creates an empty collection. */
export function createUserMessages(): UserMessages {
  const table = new Map<string, string[]>()
  return {
    note(root, message) {
      const { content, source } = Object(message) as { content?: JsonValue; source?: JsonValue }
      if ((Object(source) as { readonly kind?: unknown }).kind !== 'user') return
      const text = toText(content)
      if (text === '') return
      table.set(root, [...(table.get(root) ?? []), text].slice(-MAX_KEPT))
    },
    list: (root) => table.get(root) ?? [],
    drop: (root) => void table.delete(root),
  }
}

function toText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const blocks = content as readonly { readonly type?: unknown; readonly text?: unknown }[]
  const texts = blocks.map(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? text : '',
  )
  return texts.join('\n').trim()
}
