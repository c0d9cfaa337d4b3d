import type { CommandShape, Guess } from './shape.ts'

/** A script for bash: `source <(caisson completion bash)`. */
export function toBash(shapes: readonly CommandShape[]): string {
  return `# Completion of caisson for bash. Use: source <(caisson completion bash)
_caisson() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' i
  # Bash takes --option=value apart.
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $prev == '=' ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
      ${shapes.flatMap(({ path }) => (path === '' ? [] : [path])).join('|')}) path="$path/\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$path:$prev" in
${shapes.flatMap(valueCases).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case "$path" in
${shapes.map(optionCase).join('\n')}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  case "$path" in
${shapes.map(operandCase).join('\n')}
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}
complete -F _caisson caisson
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
  return `      '${path}') words='${options.flatMap(({ flags }) => flags).join(' ')}' ;;`
}

function operandCase({ path, commands, operands }: CommandShape): string {
  const words = [...commands.map(({ name }) => name), ...operands.flatMap(wordsOf)]
  const files = operands.some(({ kind }) => kind === 'files')
    ? ' compopt -o default 2>/dev/null'
    : ''
  return `    '${path}') words='${words.join(' ')}';${files || ' :'} ;;`
}

function offer(value: Guess): string {
  switch (value.kind) {
    case 'words':
      return `COMPREPLY=($(compgen -W '${value.words.join(' ')}' -- "$cur"))`
    case 'files':
      return 'compopt -o default 2>/dev/null'
    case 'folders':
      return 'compopt -o dirnames 2>/dev/null'
    case 'free':
      return ':'
  }
}

function wordsOf(operand: Guess): readonly string[] {
  return operand.kind === 'words' ? operand.words : []
}
