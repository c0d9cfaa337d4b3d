import type { Reading } from '../paths/atoms.ts'
import type { Ground } from '../paths/ground.ts'
import type { Place } from '../paths/place.ts'
import { toPlace } from '../paths/place.ts'
import { listMatches } from '../paths/key-files.ts'
import type { Folders } from './line.ts'
import type { ShellWord } from './shell-word.ts'
import { textOf } from './shell-word.ts'

const MAX_FOLDERS = 16

/** Both can hold. Too many are as good as not known. */
export function eitherFolder(a: Folders, b: Folders): Folders {
  const paths = [...new Set([...a.paths, ...b.paths])]
  return {
    paths: paths.slice(0, MAX_FOLDERS),
    unknown: a.unknown || b.unknown || paths.length > MAX_FOLDERS,
  }
}

/** Where a `cd` with these operands leads from each folder it can start in. */
export function folderAfter(
  operand: ShellWord | undefined,
  from: Folders,
  ground: Ground,
): Folders {
  if (operand === undefined) return { paths: [ground.home], unknown: false }
  if (textOf(operand) === '-' || operand.isPipe) return { paths: [], unknown: true }
  const readings: readonly Reading[] = [operand.atoms, ...operand.alternatives]
  const starts: readonly (string | undefined)[] = from.unknown
    ? [...from.paths, undefined]
    : from.paths
  const places = starts.flatMap((folder) =>
    readings.flatMap((reading) =>
      foldersOf(toPlace(reading, { folder, home: ground.home }), ground),
    ),
  )
  const paths = [...new Set(places.filter((path) => path !== undefined))]
  return {
    paths: paths.slice(0, MAX_FOLDERS),
    unknown: places.includes(undefined) || paths.length > MAX_FOLDERS,
  }
}

// A pattern can also stand for what is not there yet.
function foldersOf(place: Place | undefined, ground: Ground): readonly (string | undefined)[] {
  if (place === undefined || place.unknown) return [undefined]
  if (place.literal !== undefined) return [place.literal]
  return [...(listMatches(place.segments, ground.files) ?? []), undefined]
}
