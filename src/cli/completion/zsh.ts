import type { CommandShape, Guess, OptionShape } from './shape.ts'

/** A script for zsh: `source <(caisson completion zsh)`, or a file `_caisson` on its `fpath`. */
export function toZsh(shapes: readonly CommandShape[]): string {
  return `#compdef caisson
# Completion of caisson for zsh. Use: source <(caisson completion zsh)
_caisson() {
  local at='' cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" i
  local -a entries
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
      ${shapes.flatMap(({ path }) => (path === '' ? [] : [path])).join('|')}) at="$at/\${words[i]}" ;;
    esac
  done
  if [[ $cur == --*=* ]]; then
    prev="\${cur%%=*}"
    compset -P '*='
    cur=''
  fi
  case "$at:$prev" in
${shapes.flatMap(valueCases).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case "$at" in
${shapes.map(optionCase).join('\n')}
    esac
    _describe -o option entries
    return
  fi
  case "$at" in
${shapes.map(operandCase).join('\n')}
  esac
}
compdef _caisson caisson
`
}

function valueCases({ path, options }: CommandShape): string[] {
  return options.flatMap(({ flags, value }) => {
    if (value === undefined) return []
    const patterns = flags.map((flag) => `'${path}:${flag}'`).join('|')
    return [`    ${patterns}) ${offer(value)}; return ;;`]
  })
}

function optionCase({ path, options }: CommandShape): string {
  const entries = options.flatMap(({ flags, text }: OptionShape) =>
    flags.map((flag) => describe(flag, text)),
  )
  return `      '${path}') entries=(${entries.join(' ')}) ;;`
}

function operandCase({ path, commands, operands }: CommandShape): string {
  const named = commands.map(({ name, text }) => describe(name, text))
  const parts = [
    ...(named.length === 0 ? [] : [`entries=(${named.join(' ')}); _describe command entries`]),
    ...operands.map(offer),
  ]
  return `    '${path}') ${parts.length === 0 ? ':' : [...new Set(parts)].join('; ')} ;;`
}

function offer(value: Guess): string {
  switch (value.kind) {
    case 'words':
      return `compadd -- ${value.words.join(' ')}`
    case 'files':
      return '_files'
    case 'folders':
      return '_files -/'
    case 'free':
      return ':'
  }
}

function describe(name: string, text: string): string {
  return quote(`${name.replaceAll(':', '\\:')}:${text}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
