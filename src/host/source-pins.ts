import { join, resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import type { SourceIdentity, SourcePin } from '../loader/load-source.ts'
import type { ResolvedSource } from '../loader/resolve-source.ts'
import {
  DIGEST,
  isCodeOf,
  isToolsOf,
  partsOf,
  toChanges,
  type SourceParts,
} from '../loader/source-parts.ts'
import { openPinStore, type PinStore } from '../mcp/pins.ts'
import type { SandboxProfile } from '../types/profile.ts'
import type { HostSpec } from './spec.ts'

/** A source on its way to be loaded. */
export interface PinnedLoad {
  readonly found: ResolvedSource
  readonly profile: SandboxProfile
  /** What the operator says of this load. */
  readonly pin: string | undefined
  readonly spec: HostSpec
}

/** What was put down as approved. */
export interface Approval {
  readonly digest: string
  /** Undefined for a source that had not been approved before. */
  readonly changed?: readonly string[]
}

const APPROVED = 'approved'
const FILE = 'source-pins.json'

/** Throws `CONFIG_INVALID` for a pin of a source that no pin can be kept of, or that is none. */
export function checkPin(pin: string | undefined, isLocal: boolean): void {
  if (pin === undefined) return
  const text = isLocal
    ? `load(): pin is 'approved', or a digest as \`caisson list --json\` shows it`
    : 'load(): pin is for module files, packages and commands; servers are pinned by themselves'
  if (!isLocal || (pin !== APPROVED && !DIGEST.test(pin)))
    throw new CaissonError('CONFIG_INVALID', text)
}

/** What holds a load to its pin: that of the load, of the configuration's source, or of every source. */
export function createPin(load: PinnedLoad): SourcePin | undefined {
  const { found, spec } = load
  const pin = load.pin ?? spec.pins.get(resolve(spec.workspace, found.source)) ?? spec.defaultPin
  if (pin === undefined) return undefined
  return pin === APPROVED ? createApprovedPin(load) : createDigestPin(pin, found.source)
}

/** Puts down what was loaded as what is approved. Throws `LOAD_FAILED` where that could not be kept. */
export function approve(load: PinnedLoad, { parts, digest, unheld }: SourceIdentity): Approval {
  if (digest === undefined) throw unkept(unheld)
  const store = storeOf(load)
  const owner = ownerOf(load)
  const before = store.get(owner)
  try {
    store.put(owner, parts)
  } catch (error) {
    const { code = 'unknown' } = Object(error) as { code?: string }
    const text = `stateDir: ${load.spec.stateHome} cannot be written (${code})`
    throw new CaissonError('CONFIG_INVALID', text)
  }
  return { digest, ...(before === undefined ? {} : { changed: toChanges(before, parts) }) }
}

function createDigestPin(digest: string, source: string): SourcePin {
  const look = `see \`caisson list --json ${toWord(source)}\` for what it is now`
  return {
    code(parts, unheld) {
      if (unheld.length > 0) throw unkept(unheld)
      if (!isCodeOf(digest, parts)) throw refused(`its code is not what is pinned; ${look}`)
    },
    tools(parts) {
      if (isToolsOf(digest, parts)) return
      throw refused(`what it says of its tools is not what is pinned; ${look}`)
    },
  }
}

function createApprovedPin(load: PinnedLoad): SourcePin {
  const before = storeOf(load).get(ownerOf(load))
  const check = (half: 'code' | 'tools', now: SourceParts): void => {
    const changes = toChanges(partsOf(before ?? {}, half), now)
    if (changes.length === 0) return
    const text = `${toList(changes)} changed since it was approved`
    throw refused(`${text}; look at it, then approve it anew: ${toCommand(load)}`)
  }
  return {
    code(parts, unheld) {
      if (unheld.length > 0) throw unkept(unheld)
      if (before !== undefined) return check('code', parts)
      const text = `it was not approved for profile '${load.profile.name}'`
      throw refused(`${text}; look at it, then approve it: ${toCommand(load)}`)
    },
    tools: (parts) => check('tools', parts),
  }
}

function storeOf({ spec }: PinnedLoad): PinStore {
  return openPinStore(join(spec.stateHome, FILE))
}

// What is good enough for one sandbox may not be for another.
function ownerOf({ found, profile }: PinnedLoad): string {
  return `${profile.name} ${found.entry}`
}

/** What to type, wherever the host was started. */
function toCommand({ found, profile, spec }: PinnedLoad): string {
  const { workspace, configFile, stateDir } = spec
  const path = resolve(workspace, found.source)
  const source = toWord(path === resolve(found.source) ? found.source : path)
  const command = `caisson approve ${source} --profile ${profile.name}`
  if (configFile !== undefined) return `${command} --config ${toWord(configFile)}`
  return stateDir === undefined ? command : `CAISSON_HOME=${toWord(stateDir)} ${command}`
}

function toWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function toList(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_SHOWN).join(', ')
  const rest = texts.length - MAX_SHOWN
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

const MAX_SHOWN = 5

function unkept(unheld: readonly string[]): CaissonError {
  return refused(`it cannot be held to what was approved: ${toList(unheld)}`)
}

function refused(text: string): CaissonError {
  return new CaissonError('LOAD_FAILED', text, { violations: [text] })
}
