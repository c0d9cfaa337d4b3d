import type { Target, TargetRole } from '../types.ts'
import type { Reading } from './atoms.ts'
import type { Ground } from './ground.ts'
import { isCritical } from './ground.ts'
import type { PathRole } from './judge.ts'
import { isInRoots, isMutating, isRoutine, judgeLook, toLook } from './judge.ts'
import type { Place } from './place.ts'
import { isText, literalPlace, toPlace } from './place.ts'
import { isDevice, isStream } from './places.ts'
import type { Resolution } from './resolve.ts'

/** What a path brings: reasons, the target, and whether writing would make a new file. */
export interface PathVerdict {
  /** Of the text of the path. */
  readonly codes: readonly string[]
  /** Of where links lead. */
  readonly linkCodes: readonly string[]
  readonly target: Target | undefined
  /** Literal, absent, and in the workspace or a temp root. */
  readonly creates: string | undefined
}

const NOTHING: PathVerdict = { codes: [], linkCodes: [], target: undefined, creates: undefined }

/** Judges one reading of a word in a folder; `undefined` as folder means that it is not known. */
export function judgePath(
  reading: Reading,
  role: PathRole,
  ground: Ground,
  folder: string | undefined,
): PathVerdict {
  const place = toPlace(reading, { folder, home: ground.home })
  if (place === undefined) {
    const code = isMutating(role) ? 'TARGET_UNREADABLE' : 'DYNAMIC_READ'
    return { ...NOTHING, codes: [code], target: { role: toTargetRole(role) } }
  }
  if (place.literal !== undefined && isStream(place.literal)) return NOTHING
  const codes = judgeLook(toLook(place), role, ground)
  if (place.literal === undefined) return judgePattern(place, role, ground, codes)
  return judgeLiteral(place, place.literal, { role, ground, codes })
}

interface Judged {
  readonly role: PathRole
  readonly ground: Ground
  readonly codes: readonly string[]
}

function judgeLiteral(place: Place, path: string, judged: Judged): PathVerdict {
  const { role, ground, codes } = judged
  const found = ground.resolver.resolve(path)
  const target = toTarget(path, role, found)
  const linkCodes = [...judgeResolution(place, found, judged), ...judgeClimb(place, judged)]
  const file = found.kind === 'resolved' ? found.file : undefined
  if (role === 'write' && file?.kind === 'file' && file.links > 1) linkCodes.push('HARD_LINK')
  const creates =
    role === 'write' &&
    found.kind === 'resolved' &&
    file === undefined &&
    isInRoots(literalPlace(found.path).segments, ground.workRoots)
  return { codes, linkCodes, target, creates: creates ? path : undefined }
}

function judgeResolution(
  place: Place,
  found: Resolution,
  { role, ground }: Judged,
): readonly string[] {
  if (found.kind === 'failed') return [isMutating(role) ? 'LINK_UNRESOLVED' : 'LINK_UNKNOWN']
  if (found.path === place.literal) return []
  return judgeLanding(place, found.path, { role, ground })
}

// The kernel follows links before `..`; where that leads elsewhere, both readings count.
function judgeClimb(place: Place, { role, ground }: Judged): readonly string[] {
  if (place.raw === undefined) return []
  const path = ground.resolver.climb(place.raw)
  if (path === undefined) return [isMutating(role) ? 'LINK_UNRESOLVED' : 'LINK_UNKNOWN']
  if (path === place.literal) return []
  const found = ground.resolver.resolve(path)
  if (found.kind === 'failed') return [isMutating(role) ? 'LINK_UNRESOLVED' : 'LINK_UNKNOWN']
  return judgeLanding(place, found.path, { role, ground })
}

function judgeLanding(
  place: Place,
  path: string,
  { role, ground }: Omit<Judged, 'codes'>,
): readonly string[] {
  const landing = literalPlace(path)
  if (isStream(path)) return []
  const codes = judgeLook(toLook(landing), role, ground)
  if (!isMutating(role) || !isRoutine(place.segments, ground)) return codes
  const fixed = isCritical(landing.segments, ground) || isDevice(landing.segments)
  const escapes =
    ground.settings.positionMode === 'anywhere' ? fixed : !isRoutine(landing.segments, ground)
  return escapes ? [...codes, 'LINK_ESCAPE'] : codes
}

// Of a pattern the known folder in front can be a link.
function judgePattern(
  place: Place,
  role: PathRole,
  ground: Ground,
  codes: readonly string[],
): PathVerdict {
  const target: Target = { role: toTargetRole(role) }
  const open = place.segments.findIndex((segment) => typeof segment !== 'string')
  if (place.floating || open <= 0) return { ...NOTHING, codes, target }
  const front = `/${place.segments.slice(0, open).filter(isText).join('/')}`
  const found = ground.resolver.resolve(front)
  if (found.kind === 'failed' || found.path === front) return { ...NOTHING, codes, target }
  const segments = [...literalPlace(found.path).segments, ...place.segments.slice(open)]
  const linkCodes = [...judgeLook({ ...toLook(place), segments }, role, ground)]
  const escapes = isRoutine(place.segments, ground) && !isRoutine(segments, ground)
  if (isMutating(role) && escapes) linkCodes.push('LINK_ESCAPE')
  return { ...NOTHING, codes, linkCodes, target }
}

function toTarget(path: string, role: PathRole, found: Resolution): Target {
  const target = { role: toTargetRole(role), path }
  if (found.kind === 'failed') return target
  const identity = found.file?.identity
  return { ...target, resolved: found.path, ...(identity === undefined ? {} : { identity }) }
}

function toTargetRole(role: PathRole): TargetRole {
  return role === 'move' ? 'write' : role
}
