import { useColor } from '../cards/color.ts'
import { toFailure, type CaissonError } from '../errors/caisson-error.ts'
import { escapeText } from '../cards/escape.ts'

/** Where a command writes: data on stdout, everything else on stderr. */
export interface Output {
  readonly json: boolean
  readonly color: boolean
  readonly width: number
  line(text: string): void
  note(text: string): void
  object(value: unknown): void
  /** One clear line on stderr; with `--json` also the one object on stdout. */
  failure(error: CaissonError): void
}

const MAX_WIDTH = 100

/** Creates the output of one command. */
export function createOutput(options: { readonly json: boolean }): Output {
  const { json } = options
  surviveClosedStreams()
  const object = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    json,
    color: useColor(process.stdout),
    width: Math.min(process.stdout.columns ?? 80, MAX_WIDTH),
    line: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    object,
    failure(error) {
      process.stderr.write(`caisson: ${error.code}: ${toLine(error.message)}\n`)
      if (json) object({ isError: true, error: toFailure(error) })
    },
  }
}

/** Foreign text of any length as one printable line. */
export function toLine(text: string): string {
  return escapeText(text.replaceAll(/\s*\n\s*/g, '; '))
}

// A reader that went away is no error of ours; a stream that cannot be written is, in one line.
function surviveClosedStreams(): void {
  const failed = ({ code }: NodeJS.ErrnoException): void => {
    if (code === 'EPIPE') return
    process.stderr.write(`caisson: standard output cannot be written (${code ?? 'unknown'})\n`)
    process.once('exit', () => (process.exitCode = 1))
  }
  process.stdout.once('error', failed)
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}
