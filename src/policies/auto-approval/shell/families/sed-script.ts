/**
 * Whether a `sed` script only prints, deletes, quits, counts or substitutes: an optional line or pattern
 * address, then `p`, `d`, `q`, `=`, or `s` with harmless flags. Anything else can write or run.
 */
export function isPlainSedScript(script: string): boolean {
  let at = 0
  while (at < script.length) {
    if (/[\s;]/.test(script[at] ?? '')) {
      at += 1
      continue
    }
    const next = readCommand(script, at)
    if (next === undefined) return false
    at = next
  }
  return true
}

// Each reader answers where it stopped, or undefined for what it does not know.
function readCommand(script: string, from: number): number | undefined {
  let at = readAddress(script, from)
  if (at === undefined) return undefined
  if (script[at] === ',') {
    at = readAddress(script, at + 1)
    if (at === undefined) return undefined
  }
  while (/[ !]/.test(script[at] ?? '')) at += 1
  const command = script[at]
  if (command === undefined) return undefined
  if ('pd='.includes(command)) return endOf(script, at + 1)
  if (command === 'q') return endOf(script, skipDigits(script, at + 1))
  return command === 's' ? readSubstitution(script, at + 1) : undefined
}

function readAddress(script: string, from: number): number | undefined {
  const first = script[from]
  if (first === '$') return from + 1
  if (first === '/') {
    const end = readDelimited(script, from + 1, '/')
    return end === undefined ? undefined : skipLetters(script, end, 'IM')
  }
  if (first === '+' || first === '~') return skipDigits(script, from + 1)
  const end = skipDigits(script, from)
  return script[end] === '~' ? skipDigits(script, end + 1) : end
}

function readSubstitution(script: string, from: number): number | undefined {
  const delimiter = script[from]
  if (delimiter === undefined || /[\\\n]/.test(delimiter)) return undefined
  const pattern = readDelimited(script, from + 1, delimiter)
  if (pattern === undefined) return undefined
  const replacement = readDelimited(script, pattern, delimiter)
  if (replacement === undefined) return undefined
  return endOf(script, skipLetters(script, replacement, 'gpiI0123456789'))
}

function readDelimited(script: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < script.length; at += 1) {
    if (script[at] === '\\') at += 1
    else if (script[at] === delimiter) return at + 1
  }
  return undefined
}

function endOf(script: string, from: number): number | undefined {
  let at = from
  while (script[at] === ' ') at += 1
  return at >= script.length || script[at] === ';' || script[at] === '\n' ? at : undefined
}

function skipDigits(script: string, from: number): number {
  return skipLetters(script, from, '0123456789')
}

function skipLetters(script: string, from: number, letters: string): number {
  let at = from
  while (at < script.length && letters.includes(script[at] ?? '')) at += 1
  return at
}
