const MAX_WORDS = 64

/**
 * The words that the brace lists of an unquoted word's source text stand for, as source text; the
 * text itself when it has none. Undefined when there are more than 64.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  const list = findList(text)
  if (list === undefined) return [text]
  const tails = expandBraces(text.slice(list.end))
  if (tails === undefined) return undefined
  const head = text.slice(0, list.start)
  const words: string[] = []
  for (const item of list.items) {
    const inner = expandBraces(item)
    if (inner === undefined) return undefined
    for (const piece of inner) for (const tail of tails) words.push(head + piece + tail)
    if (words.length > MAX_WORDS) return undefined
  }
  return words
}

interface BraceList {
  readonly start: number
  readonly end: number
  readonly items: readonly string[]
}

function findList(text: string): BraceList | undefined {
  for (let at = 0; at < text.length; at = skip(text, at)) {
    if (text[at] !== '{') continue
    const list = readList(text, at)
    if (list !== undefined) return list
  }
  return undefined
}

function readList(text: string, start: number): BraceList | undefined {
  const cuts: number[] = [start]
  let depth = 0
  for (let at = start + 1; at < text.length; at = skip(text, at)) {
    const character = text[at]
    if (character === '{') depth += 1
    else if (character === ',' && depth === 0) cuts.push(at)
    else if (character === '}' && depth > 0) depth -= 1
    else if (character === '}') return closeList(text, cuts, at)
  }
  return undefined
}

function closeList(text: string, cuts: readonly number[], end: number): BraceList | undefined {
  const start = cuts[0] ?? 0
  if (cuts.length > 1) {
    const items = cuts.map((cut, index) => text.slice(cut + 1, cuts[index + 1] ?? end))
    return { start, end: end + 1, items }
  }
  const items = toSequence(text.slice(start + 1, end))
  return items === undefined ? undefined : { start, end: end + 1, items }
}

function toSequence(inner: string): readonly string[] | undefined {
  const [from, to, step, more] = inner.split('..')
  if (from === undefined || to === undefined || more !== undefined) return undefined
  const numbers = isNumber(from) && isNumber(to)
  const letters = from.length === 1 && to.length === 1 && !numbers
  if (!numbers && !letters) return undefined
  const first = numbers ? Number(from) : from.charCodeAt(0)
  const last = numbers ? Number(to) : to.charCodeAt(0)
  const by = Math.max(1, Math.abs(Number(step ?? 1)) || 1)
  const items: string[] = []
  const sign = first <= last ? 1 : -1
  for (let at = first; sign * (last - at) >= 0 && items.length <= MAX_WORDS; at += sign * by)
    items.push(numbers ? String(at) : String.fromCharCode(at))
  return items
}

function isNumber(text: string): boolean {
  return /^-?\d{1,9}$/.test(text)
}

// The next position that is not quoted, escaped, or inside an expansion.
function skip(text: string, at: number): number {
  const character = text[at]
  if (character === '\\') return at + 2
  if (character === "'") return after(text, "'", at + 1)
  if (character === '"' || character === '`') return afterEscaped(text, character, at + 1)
  if (character === '$' && text[at + 1] === '{') return balanced(text, at + 1, '{', '}')
  if ('$<>'.includes(character ?? '') && text[at + 1] === '(')
    return balanced(text, at + 1, '(', ')')
  return at + 1
}

function after(text: string, quote: string, from: number): number {
  const end = text.indexOf(quote, from)
  return end < 0 ? text.length : end + 1
}

function afterEscaped(text: string, quote: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function balanced(text: string, from: number, open: string, close: string): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === open) depth += 1
    else if (text[at] === close) depth -= 1
    if (depth === 0) return at + 1
  }
  return text.length
}
