/** Where the calls of a run go: the engines, and what else there is of isolates. */
export const ENGINES = ['inline', 'thread', 'isolate', 'frozen', 'dense', 'process'] as const

export type EngineName = (typeof ENGINES)[number]

/** The tools of fixtures/chaos-tools.mjs. */
export type Kind =
  | 'good'
  | 'slow'
  | 'chatty'
  | 'forgetful'
  | 'throws'
  | 'cyclic'
  | 'flood'
  | 'exits'
  | 'never'
  | 'spins'
  | 'bomb'

/** How often each kind is called, of about a thousand. */
type Mix = Readonly<Partial<Record<Kind, number>>>

/** A program per call costs what a thousand calls of the others do. */
export const ENGINE_WEIGHTS: Readonly<Record<EngineName, number>> = {
  inline: 250,
  thread: 300,
  isolate: 245,
  frozen: 100,
  dense: 100,
  process: 5,
}

const IN_ISOLATES: Mix = {
  good: 950,
  slow: 20,
  throws: 10,
  cyclic: 5,
  chatty: 3,
  forgetful: 3,
  flood: 2,
  exits: 2,
  never: 2,
  spins: 2,
  bomb: 1,
}

/** Host code is trusted to end, and a memory bomb in a thread takes the host with it: both are documented. */
export const STORMY: Readonly<Record<EngineName, Mix>> = {
  inline: { good: 960, slow: 20, throws: 20 },
  thread: {
    good: 950,
    slow: 20,
    throws: 10,
    cyclic: 5,
    chatty: 3,
    forgetful: 3,
    flood: 3,
    exits: 2,
    never: 2,
    spins: 2,
  },
  isolate: IN_ISOLATES,
  frozen: IN_ISOLATES,
  dense: IN_ISOLATES,
  process: {
    good: 600,
    slow: 100,
    throws: 50,
    flood: 50,
    exits: 50,
    never: 50,
    spins: 50,
    bomb: 50,
  },
}

/** The same without anything that goes wrong. */
export const CALM: Readonly<Record<EngineName, Mix>> = {
  inline: { good: 1 },
  thread: { good: 1 },
  isolate: { good: 1 },
  frozen: { good: 1 },
  dense: { good: 1 },
  process: { good: 1 },
}

/** The only code a call of this kind may end with; undefined for a success. */
export function expectedCode(kind: Kind, engine: EngineName): string | undefined {
  switch (kind) {
    case 'good':
    case 'slow':
    case 'chatty':
    case 'forgetful':
      return undefined
    case 'throws':
      return 'TOOL_ERROR'
    case 'cyclic':
      return 'INVALID_TOOL_OUTPUT'
    case 'flood':
      return 'OUTPUT_LIMIT'
    case 'exits':
      return engine === 'thread' || engine === 'process' ? 'TOOL_CRASHED' : 'TOOL_ERROR'
    case 'never':
    case 'spins':
      return 'TOOL_TIMEOUT'
    case 'bomb':
      return 'TOOL_OUT_OF_MEMORY'
  }
}
