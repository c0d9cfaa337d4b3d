import { availableParallelism, cpus } from 'node:os'

/** What the figures of a run depend on. */
export interface Machine {
  readonly node: string
  readonly cores: number
  readonly cpu: string
}

/** Describes this machine. */
export function describeMachine(): Machine {
  return {
    node: process.version,
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
  }
}

/** Prints the heading of one question with the machine it was asked on. */
export function printHeading(question: string): void {
  const { node, cores, cpu } = describeMachine()
  console.log(`# ${question}\n\nNode ${node}, ${cores} cores, ${cpu}\n`)
}
