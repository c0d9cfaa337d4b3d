import { Argument, type Command } from 'commander'
import { loadProfiles } from '../sandbox/load-profiles.ts'
import { toBash } from './completion/bash.ts'
import { toFish } from './completion/fish.ts'
import { toShapes, type CommandShape } from './completion/shape.ts'
import { toZsh } from './completion/zsh.ts'
import type { Output } from './output.ts'

const SHELLS: Readonly<Record<string, (shapes: readonly CommandShape[]) => string>> = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
}

/** Adds `completion` to the command line; it knows every command that is there when it is run. */
export function addCompletion(
  program: Command,
  output: Output,
  exit: (code: number) => void,
): void {
  program
    .command('completion')
    .description('print a script that completes this command line in your shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', USE)
    .action((shell: string) => {
      const profiles = loadProfiles().list.map(({ name }) => name)
      const script = SHELLS[shell]?.(toShapes(program, profiles)) ?? ''
      output.line(script.trimEnd())
      exit(0)
    })
}

const USE = `
bash: source <(caisson completion bash)
zsh:  source <(caisson completion zsh)
fish: caisson completion fish | source`
