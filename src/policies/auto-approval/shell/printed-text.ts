import type { Command, ParsedScript, WordPart } from 'unbash'

/**
 * What a substitution is known to print: `pwd` for the folder, the text of a literal `echo` or
 * `printf`, else undefined.
 */
export function printedText(script: ParsedScript): 'pwd' | { readonly text: string } | undefined {
  const [statement, more] = script.commands
  if (statement === undefined || more !== undefined) return undefined
  const { command } = statement
  if (command.type !== 'Command') return undefined
  if (command.name?.value === 'pwd' && command.redirects.length === 0) return 'pwd'
  const text = printedBy(command)
  return text === undefined ? undefined : { text }
}

/** The text that a command with literal words prints; also that of a here-document through `cat`. */
export function printedBy(command: Command): string | undefined {
  const words = command.suffix.filter((word) => word.type === 'Word')
  const name = command.name?.value
  const [fed] = command.redirects
  if (name === 'cat' && words.length === 0 && fed?.type === 'HereDoc')
    return fed.body.parts === undefined || fed.delimiter?.quoted === true
      ? fed.body.text
      : undefined
  if (words.length !== command.suffix.length || command.prefix.length > 0) return undefined
  if (name !== 'echo' && name !== 'printf') return undefined
  if (words.some((word) => word.parts?.every(isText) === false)) return undefined
  const texts = words.map((word) => word.value).filter((text) => !/^-[neE]+$/.test(text))
  return name === 'echo' ? texts.join(' ') : formatted(texts)
}

function isText(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(isText)
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
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
