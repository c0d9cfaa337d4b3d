import { readFile, stat } from 'node:fs/promises'
import type { CommandManifest } from '../types/command.ts'
import type { ToolManifest } from '../types/engine.ts'
import { parseCommandManifest } from './command-manifest.ts'
import { loadFailed } from './load-failed.ts'
import { COMMAND_SUFFIX, type ResolvedSource } from './resolve-source.ts'

const MAX_BYTES = 1024 * 1024

/** Whether a source is a command rather than a module. */
export function isCommandSource({ entry }: ResolvedSource): boolean {
  return entry.endsWith(COMMAND_SUFFIX)
}

/** Reads and checks the manifest of a command. Throws `LOAD_FAILED` naming all that is wrong with it. */
export async function readCommand({ source, entry }: ResolvedSource): Promise<CommandManifest> {
  const parsed = parseCommandManifest(await readJson(source, entry))
  if (parsed.kind === 'refused') throw loadFailed(source, parsed.violations, 'CONFIG_INVALID')
  return parsed.manifest
}

/** The files of its own that a command names, by their paths below its root. */
export function filesOf({ command }: CommandManifest): string[] {
  return command.flat().flatMap((part) => (part.kind === 'file' ? [part.path] : []))
}

/** What a command says of itself, in the form in which every tool does. */
export function toToolManifest(manifest: CommandManifest): ToolManifest {
  const { name, description, parameters, outputSchema, timeoutMs, idempotent, retry } = manifest
  return {
    name,
    description,
    parameters,
    outputSchema,
    defined: false,
    projections: ['render'],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(retry === undefined ? {} : { retry }),
  }
}

async function readJson(source: string, path: string): Promise<unknown> {
  if ((await stat(path)).size > MAX_BYTES) {
    throw loadFailed(source, [`its manifest is longer than ${MAX_BYTES} bytes`])
  }
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch {
    throw loadFailed(source, ['its manifest is no JSON'])
  }
}
