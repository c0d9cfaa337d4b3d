import { createHash } from 'node:crypto'
import { toCanonicalJson } from '../policies/canonical-json.ts'
import type { CommandManifest } from '../types/command.ts'
import type { ToolManifest } from '../types/engine.ts'
import type { JsonValue } from '../types/json.ts'
import type { HeldFile } from '../types/source.ts'

/** Hashes of what a source is made of. A key that begins with a space, as no tool's name does, is of its code. */
export type SourceParts = Readonly<Record<string, string>>

/** How a digest is written. */
export const DIGEST: RegExp = /^sha256-[\w-]{43}\.[\w-]{43}$/

const CODE = ' code'
const COMMAND = ' command'
const FILE = ' file '
const ASPECTS = ['description', 'parameters', 'output schema', 'settings'] as const

/** The code of a module, and what it loads besides. */
export function toModuleParts(code: string, files: readonly HeldFile[]): SourceParts {
  return { [CODE]: hash(code), ...toFileParts(files) }
}

/** The command line of a command, and the files it names. */
export function toCommandParts(
  { command, input, mode, okExitCodes }: CommandManifest,
  files: readonly HeldFile[],
): SourceParts {
  const run = JSON.stringify([command, input, mode, okExitCodes])
  return { [COMMAND]: hash(run), ...toFileParts(files) }
}

/** What a source says of its tools. */
export function toToolParts(tools: readonly ToolManifest[]): SourceParts {
  return Object.fromEntries(tools.flatMap(toAspects))
}

/** One text for code and tools: a hash of each. */
export function toDigest(code: SourceParts, tools: SourceParts): string {
  return `sha256-${hashAll(code)}.${hashAll(tools)}`
}

/** Whether the first half of a digest is that of `code`. */
export function isCodeOf(digest: string, code: SourceParts): boolean {
  return digest.startsWith(`sha256-${hashAll(code)}.`)
}

/** Whether the second half of a digest is that of `tools`. */
export function isToolsOf(digest: string, tools: SourceParts): boolean {
  return digest.endsWith(`.${hashAll(tools)}`)
}

/** The same parts, of code or of tools alone. */
export function partsOf(parts: SourceParts, half: 'code' | 'tools'): SourceParts {
  return Object.fromEntries(
    Object.entries(parts).filter(([key]) => key.startsWith(' ') === (half === 'code')),
  )
}

/** What of `now` is not as it was, in words: `its code`, `the description of 'x'`. */
export function toChanges(before: SourceParts, now: SourceParts): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  const toolsBefore = toolsIn(before)
  const toolsNow = toolsIn(now)
  const changes = keys
    .filter((key) => before[key] !== now[key])
    .map((key) => {
      const tool = toolOf(key)
      if (tool === undefined) return toCodeWords(key)
      if (!toolsBefore.has(tool)) return `the new tool '${tool}'`
      if (!toolsNow.has(tool)) return `the tool '${tool}', which is gone`
      return `the ${key.slice(tool.length + 1)} of '${tool}'`
    })
  return [...new Set(changes)]
}

function toFileParts(files: readonly HeldFile[]): SourceParts {
  return Object.fromEntries(files.map(({ path, bytes }) => [`${FILE}${path}`, hash(bytes)]))
}

function toAspects(tool: ToolManifest): (readonly [string, string])[] {
  const { name, description, parameters, outputSchema, ...settings } = tool
  const told: Readonly<Record<(typeof ASPECTS)[number], JsonValue>> = {
    description,
    parameters,
    'output schema': outputSchema,
    settings: JSON.parse(JSON.stringify(settings)) as JsonValue,
  }
  return ASPECTS.map((aspect) => [`${name} ${aspect}`, hash(toCanonicalJson(told[aspect]))])
}

function toCodeWords(key: string): string {
  if (key === CODE) return 'its code'
  return key === COMMAND ? 'its command' : `its file package:/${key.slice(FILE.length)}`
}

function toolsIn(parts: SourceParts): Set<string | undefined> {
  return new Set(Object.keys(parts).map(toolOf))
}

function toolOf(key: string): string | undefined {
  return key.startsWith(' ') ? undefined : key.slice(0, key.indexOf(' '))
}

function hashAll(parts: SourceParts): string {
  return hash(toCanonicalJson(parts))
}

function hash(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('base64url')
}
