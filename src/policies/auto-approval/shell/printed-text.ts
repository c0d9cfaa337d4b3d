import type { ParsedScript } from 'unbash'

/**
 * What a substitution is known to print: `pwd` for the folder, the text of a literal `echo` or
 * `printf`, else undefined.
 */
export function printedText(script: ParsedScript): 'pwd' | { readonly text: string } | undefined {
  const [statement, more] = script.commands
  if (statement === undefined || more !== undefined) return undefined
  const { command } = statement
  if (command.type !== 'Command' || command.prefix.length > 0) return undefined
  const words = command.suffix.filter((word) => word.type === 'Word')
  if (words.length !== command.suffix.length || command.name === undefined) return undefined
  const name = command.name.value
  if (name === 'pwd') return 'pwd'
  if (name !== 'echo' && name !== 'printf') return undefined
  if (words.some((word) => word.parts?.some((part) => !isText(part.type)) === true))
    return undefined
  const texts = words.map((word) => word.value).filter((text) => !/^-[neE]+$/.test(text))
  return { text: name === 'echo' ? texts.join(' ') : formatted(texts) }
}

function isText(type: string): boolean {
  return type === 'Literal' || type === 'SingleQuoted' || type === 'AnsiCQuoted'
}

// Enough of `printf` for names that are put together; escapes are those of octal and hex digits.
function formatted([format = '', ...values]: readonly string[]): string {
  const queue = [...values]
  const text = format.replaceAll(
    /%[sbdc]|\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})/g,
    (whole, hex, octal) => {
      if (typeof hex === 'string') return String.fromCharCode(Number.parseInt(hex, 16))
      if (typeof octal === 'string') return String.fromCharCode(Number.parseInt(octal, 8))
      return whole.startsWith('%') ? (queue.shift() ?? '') : whole
    },
  )
  return [text, ...queue].join('')
}
