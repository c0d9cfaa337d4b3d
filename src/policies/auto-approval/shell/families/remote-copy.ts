import type { OptionSpec } from '../options.ts'
import { hasFlag, parseArgs, valuesOf } from '../options.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { startOf } from '../shell-word.ts'
import { hazardIn } from './hazard-flags.ts'
import { READER_HAZARDS } from './reader-hazards.ts'
import { judgeRecursion } from './recursion.ts'
import { judgeUploads } from './sender.ts'

const SCP: OptionSpec = { values: 'cDFiJloPSXbBR' }
const RSYNC: OptionSpec = {
  values: 'eBMTf',
  long: (
    'rsh rsync-path exclude exclude-from include include-from files-from filter log-file password-file ' +
    'port temp-dir partial-dir backup-dir compare-dest copy-dest link-dest out-format bwlimit timeout'
  ).split(' '),
}

/** `scp`, `sftp` and `rsync`: what goes out is read, what comes in is written. */
export function judgeRemoteCopy(segment: Segment): void {
  const sync = segment.name === 'rsync'
  const args = parseArgs(segment.args, sync ? RSYNC : SCP)
  if (hazardIn(args, sync ? READER_HAZARDS.rsync : READER_HAZARDS.scp)) segment.add('HAZARD_FLAG')
  for (const word of valuesOf(args, '-i', '-F', '--password-file')) segment.glance(word, 'read')
  segment.paths(valuesOf(args, '--files-from', '--exclude-from', '--include-from'), 'read')
  segment.paths(
    valuesOf(args, '--log-file', '--temp-dir', '--backup-dir', '--partial-dir'),
    'write',
  )
  if (segment.name === 'sftp') return
  const sources = args.operands.slice(0, -1)
  const [target] = args.operands.slice(-1)
  const local = sources.filter((word) => !isRemote(word))
  if (target !== undefined && isRemote(target)) judgeUploads(local, segment)
  else {
    segment.paths(local, 'read')
    if (target !== undefined) segment.path(target, 'write')
  }
  if (hasFlag(args, '-r', '-a', '--recursive', '--archive'))
    judgeRecursion(
      local,
      { skipsDots: false, followsLinks: hasFlag(args, '-L', '--copy-links') || !sync },
      segment,
    )
  if (args.flags.some(({ name }) => name.startsWith('--del'))) segment.add('DELETE')
  if (hasFlag(args, '--remove-source-files')) segment.paths(local, 'delete')
}

function isRemote(word: ShellWord): boolean {
  return /^[^/]*:/.test(startOf(word))
}
