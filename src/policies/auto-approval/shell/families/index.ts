import type { Families, Family, Segment } from '../segment.ts'
import { textOf } from '../shell-word.ts'
import { ARCHIVE_FAMILIES } from './archives.ts'
import { BUILD_FAMILIES } from './build.ts'
import { CONTROL_FAMILIES, isAnsible, judgeInfra } from './control.ts'
import { FIND_FAMILIES } from './find.ts'
import { GIT_FAMILIES } from './git.ts'
import { INTERPRETER_FAMILIES, isPython, judgePython } from './interpreters.ts'
import { NETWORK_FAMILIES } from './network.ts'
import { PACKAGE_FAMILIES } from './packages.ts'
import { isChecksum, judgeReader, READER_FAMILIES } from './readers.ts'
import { REDEFINE } from './redefine.ts'
import { isMkfs, judgeDisk, REMOVE_FAMILIES } from './remove.ts'
import { SEARCH_FAMILIES } from './search.ts'
import { SERVICE_FAMILIES } from './services.ts'
import { TEXT } from './text.ts'
import { judgeUnknown } from './unknown.ts'
import { WRITER_FAMILIES } from './writers.ts'

const FAMILIES: ReadonlyMap<string, Family> = new Map(
  [
    ...[TEXT, CONTROL_FAMILIES, REDEFINE, READER_FAMILIES, SEARCH_FAMILIES, REMOVE_FAMILIES],
    ...[WRITER_FAMILIES, ARCHIVE_FAMILIES, NETWORK_FAMILIES, GIT_FAMILIES, BUILD_FAMILIES],
    ...[PACKAGE_FAMILIES, INTERPRETER_FAMILIES, SERVICE_FAMILIES, FIND_FAMILIES],
  ].flatMap((families: Families) => Object.entries(families)),
)
const PROBED: ReadonlySet<string> = new Set(
  'node npm pnpm yarn bun deno python python3 pip pip3 git cargo rustc go java tsc docker make gcc'.split(
    ' ',
  ),
)
const PROBES: ReadonlySet<string> = new Set(['--version', '-v', '-V', 'version'])

/** How a command of a name is judged; a name that nobody listed has a way too. */
export function familyOf(name: string): Family {
  return (segment) => {
    if (isVersionProbe(segment)) {
      segment.mark('text')
      segment.settle('VERSION_PROBE')
      return
    }
    select(name)(segment)
  }
}

/** Whether somebody listed a command of this name. */
export function isListed(name: string): boolean {
  return select(name) !== judgeUnknown
}

function select(name: string): Family {
  const found = FAMILIES.get(name)
  if (found !== undefined) return found
  if (isPython(name)) return judgePython
  if (isChecksum(name)) return judgeReader
  if (isMkfs(name)) return judgeDisk
  return isAnsible(name) ? judgeInfra : judgeUnknown
}

function isVersionProbe({ name, args }: Segment): boolean {
  const [only, more] = args
  return PROBED.has(name) && more === undefined && PROBES.has(textOf(only) ?? '')
}
