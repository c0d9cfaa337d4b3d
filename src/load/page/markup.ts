import { escapeToLine } from '../../cards/escape.ts'

/** Text that is markup already: made by `html`, or by `trusted` from text of ours. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const MAX_TEXT = 2_000

/** Joins markup. Every part that is no markup is foreign text, and is escaped. */
export function html(
  strings: TemplateStringsArray,
  ...parts: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  return new Markup(
    strings
      .map((text, index) => text + (index < parts.length ? toText(parts[index]) : ''))
      .join(''),
  )
}

/** Takes text of ours as it is. */
export function trusted(text: string): Markup {
  return new Markup(text)
}

/** A value as JSON for a script element; nothing in it can end the element. */
export function jsonForScript(value: unknown): Markup {
  const toEscape = (found: string): string =>
    `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  return trusted(JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/g, toEscape))
}

function toText(part: unknown): string {
  if (part instanceof Markup) return part.text
  if (Array.isArray(part)) return part.map(toText).join('')
  const line = escapeToLine(String(part), MAX_TEXT)
  return line.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '')
}
