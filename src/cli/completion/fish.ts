import type { CommandShape, Guess } from './shape.ts'

/** A script for fish: `caisson completion fish | source`. */
export function toFish(shapes: readonly CommandShape[]): string {
  const paths = shapes.flatMap(({ path }) => (path === '' ? [] : [path]))
  return `# Completion of caisson for fish. Use: caisson completion fish | source
function __caisson_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    if contains -- "$at/$word" ${paths.join(' ')}
      set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c caisson -f
${shapes.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, commands, options, operands }: CommandShape): string[] {
  const line = (rest: string): string => `complete -c caisson -n '__caisson_at "${path}"' ${rest}`
  return [
    ...commands.map(({ name, text }) => line(`-a ${name} -d ${quote(text)}`)),
    ...options.map(({ flags, text, value }) =>
      line([...flags.map(toFlag), ...offer(value), `-d ${quote(text)}`].join(' ')),
    ),
    ...new Set(operands.map((operand) => line(offerOperand(operand)))),
  ]
}

function toFlag(flag: string): string {
  return flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
}

function offer(value: Guess | undefined): string[] {
  switch (value?.kind) {
    case undefined:
      return []
    case 'words':
      return [`-x -a ${quote(value.words.join(' '))}`]
    case 'files':
      return ['-r -F']
    case 'folders':
      return [`-x -a '(__fish_complete_directories)'`]
    case 'free':
      return ['-x']
  }
}

function offerOperand(operand: Guess): string {
  return operand.kind === 'words' ? `-a ${quote(operand.words.join(' '))}` : '-F'
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `\\'`)}'`
}
