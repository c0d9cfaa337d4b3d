import type { Writable } from 'node:stream'
import { pino } from 'pino'
import { createScrubber } from '../broker/secrets/scrubber.ts'
import { cutText, escapeToLine } from '../cards/escape.ts'
import { isCredentialName, MASK } from '../policies/auto-approval/redaction/patterns.ts'
import { redactText } from '../policies/auto-approval/redaction/redact.ts'
import type { LogLevel } from './log-level.ts'

type LineLevel = Exclude<LogLevel, 'silent'>

/** One flat record; what is undefined is left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** Log lines, one JSON object each. Whatever a field holds, it is one line and holds no secret. */
export interface Log {
  write(level: LineLevel, message: string, fields?: LogFields): void
  isOn(level: LineLevel): boolean
  /** Values that from now on do not show, by name; each has at least 8 bytes. */
  hide(secrets: ReadonlyMap<string, string>): void
  /** Waits until everything is written, for a second at most; false when somebody does not read it. */
  flush(): Promise<boolean>
}

export interface LogSpec {
  readonly level: LogLevel
  /** One that does not block when nobody reads it: standard error to a pipe does not. */
  readonly stream: Writable
}

/** What waits to be written when nobody reads; further lines are lost rather than a call held up. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
const FLUSH_MS = 1_000

/** Creates a log. Writing never blocks and never throws. */
export function createLog({ level, stream }: LogSpec): Log {
  const destination = {
    write(line: string): void {
      if (stream.writableLength <= MAX_WAITING_BYTES) stream.write(line)
    },
  }
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
  let hidden: ReadonlyMap<string, string> = new Map()
  let clean = createCleaner(hidden)
  return {
    isOn: (line) => logger.isLevelEnabled(line),
    hide(further) {
      // Two values of one name stay two: the one before may still be in what a call says.
      const known = new Set(hidden.values())
      const added = [...further].filter(([, value]) => !known.has(value))
      hidden = new Map([
        ...added.map(([name, value]) => [toFreeName(name, hidden), value] as const),
        ...hidden,
      ])
      clean = createCleaner(hidden)
    },
    write(line, message, fields = {}) {
      if (logger.isLevelEnabled(line)) logger[line](cleanFields(fields, clean), clean(message))
    },
    async flush() {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      stream.write('', () => resolve(true))
      const timer = setTimeout(() => resolve(false), FLUSH_MS)
      const isWritten = await promise
      clearTimeout(timer)
      return isWritten
    },
  }
}

function cleanFields(fields: LogFields, clean: (text: string) => string): LogFields {
  const entries = Object.entries(fields).map(([key, value]) => {
    if (typeof value !== 'string') return [key, value] as const
    return [key, isCredentialName(key) ? MASK : clean(value)] as const
  })
  return Object.fromEntries(entries)
}

function toFreeName(name: string, taken: ReadonlyMap<string, string>): string {
  for (let count = 2; taken.has(name); count += 1) {
    const next = `${name} ${count}`
    if (!taken.has(next)) return next
  }
  return name
}

const MAX_LOOKED_AT = 64 * 1024
const MAX_TEXT = 1_000
const WITHHELD = '[withheld]'

// Masked before it is cut, so that half a secret is no way around the mask.
function createCleaner(secrets: ReadonlyMap<string, string>): (text: string) => string {
  const scrubber = createScrubber(secrets)
  return (text) => {
    try {
      return escapeToLine(redactText(scrubber.text(cutText(text, MAX_LOOKED_AT))), MAX_TEXT)
    } catch {
      return WITHHELD // Masking took too long: then nothing of it is shown.
    }
  }
}
