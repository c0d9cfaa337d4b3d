import type { TargetRole } from '../types.ts'
import type { Segment } from './atoms.ts'
import type { Ground } from './ground.ts'
import { isCritical } from './ground.ts'
import { couldBeInKeyFiles } from './key-files.ts'
import { isUnknown } from './match.ts'
import { namesProtected, namesSecret } from './names.ts'
import type { Place } from './place.ts'
import type { Tree } from './places.ts'
import { isAtOrAbove, isDevice, isInStore, isMagic, isPublicKey, isWithin } from './places.ts'

/** `move` is a write at a source that goes away. */
export type PathRole = TargetRole | 'move'

/** Where one path is looked at: its names, and what is known of them. */
export interface Look {
  readonly segments: readonly Segment[]
  readonly floating: boolean
  readonly unknown: boolean
  readonly literal: boolean
}

const ROOT: Tree = []

/** What a role means for one path as it is spelled; links are not followed. All reasons that apply. */
export function judgeLook(look: Look, role: PathRole, ground: Ground): readonly string[] {
  const fatal = judgeFatal(look, role, ground)
  return fatal.length > 0 ? fatal : judgeNames(look, role, ground)
}

export function toLook(place: Place): Look {
  return { ...place, literal: place.literal !== undefined }
}

/** Whether a path lies where a call moves freely. */
export function isRoutine(segments: readonly Segment[], ground: Ground): boolean {
  if (ground.settings.positionMode === 'anywhere') return true
  return isInRoots(segments, ground.routine)
}

export function isInRoots(
  segments: readonly Segment[],
  roots: readonly (readonly string[])[],
): boolean {
  return roots.some(
    (root) => root.length <= segments.length && root.every((name, at) => segments[at] === name),
  )
}

export function isMutating(role: PathRole): boolean {
  return role === 'write' || role === 'move' || role === 'delete'
}

function judgeFatal(look: Look, role: PathRole, ground: Ground): readonly string[] {
  const { segments } = look
  if (look.floating) return []
  if (isMagic(segments)) return ['MAGIC_PATH']
  const codes: string[] = []
  const { state, own } = ground
  const owned = isMutating(role) ? [...state, ...own.policy, ...own.install] : state
  if (owned.some((tree) => isWithin(segments, tree))) codes.push('STATE_DIR')
  codes.push(...judgeStore(look, role, ground))
  if (!isMutating(role)) return codes
  const removing = role === 'move' || role === 'delete'
  if (isDevice(segments)) codes.push('DEVICE_WRITE')
  if (isCriticalFor(look, removing, ground)) codes.push('CRITICAL_PATH')
  // What goes away takes with it what lies below.
  if (removing && owned.some((tree) => isAtOrAbove(segments, tree))) push(codes, 'STATE_DIR')
  return codes
}

function judgeStore(look: Look, role: PathRole, ground: Ground): readonly string[] {
  if (!isInStore(look.segments, ground.places)) return []
  const reads = !isMutating(role)
  if (reads && look.literal && isPublicKey(look.segments, ground.places)) return []
  if (reads && ground.settings.credentialReads === 'ask') return ['SECRET_READ']
  return ['CREDENTIAL_STORE']
}

function isCriticalFor(look: Look, removing: boolean, ground: Ground): boolean {
  const { segments } = look
  const { homes, stores } = ground.places
  if (homes.some((home) => isAtOrAbove(segments, home))) return true
  if (isCritical(segments, ground)) return true
  if (!removing) return false
  const roots = ground.cutouts
  if (roots.some((root) => isAtOrAbove(segments, root))) return true
  if (stores.some((store) => isAtOrAbove(segments, store))) return true
  const last = segments.at(-1)
  if (last === undefined || typeof last === 'string' || isUnknown(last)) return false
  const parent = segments.slice(0, -1)
  return [ROOT, ...homes].some((tree) => isAtOrAbove(parent, tree) && isWithin(parent, tree))
}

function judgeNames(look: Look, role: PathRole, ground: Ground): readonly string[] {
  const codes: string[] = role === 'delete' ? ['DELETE'] : []
  const { segments } = look
  if (role === 'unknown' && isFixed(look, ground)) codes.push('OUTSIDE_WRITE')
  const exempt = !isMutating(role) && look.literal && isPublicKey(segments, ground.places)
  if (!exempt && isSecret(look, ground)) push(codes, secretCode(role))
  if (!exempt && namesProtected(segments, ground.protectedNames)) push(codes, protectedCode(role))
  if (!isMutating(role) && role !== 'meta' && ground.own.policy.some((t) => isWithin(segments, t)))
    codes.push('PROTECTED_READ')
  if (look.unknown) push(codes, openCode(role))
  else if (role === 'write' && !look.literal) codes.push('DYNAMIC_WRITE')
  else if (!isRoutine(segments, ground)) push(codes, outsideCode(role))
  return codes
}

// Critical places and devices, for the operand of a command that nobody knows.
function isFixed(look: Look, ground: Ground): boolean {
  return !look.floating && (isDevice(look.segments) || isCriticalFor(look, false, ground))
}

function isSecret(look: Look, ground: Ground): boolean {
  if (namesSecret(look.segments)) return true
  return !look.literal && couldBeInKeyFiles(look, ground.files)
}

function secretCode(role: PathRole): string | undefined {
  if (role === 'meta') return undefined
  return isMutating(role) ? 'PROTECTED_WRITE' : 'SECRET_READ'
}

function protectedCode(role: PathRole): string | undefined {
  if (role === 'meta') return undefined
  return isMutating(role) ? 'PROTECTED_WRITE' : 'PROTECTED_READ'
}

function openCode(role: PathRole): string | undefined {
  if (role === 'delete') return undefined
  return isMutating(role) ? 'DYNAMIC_WRITE' : 'DYNAMIC_READ'
}

function outsideCode(role: PathRole): string | undefined {
  if (role === 'delete') return undefined
  return isMutating(role) ? 'OUTSIDE_WRITE' : 'OUTSIDE_READ'
}

function push(codes: string[], code: string | undefined): void {
  if (code !== undefined && !codes.includes(code)) codes.push(code)
}
