import type { PathRole } from '../../paths/judge.ts'
import { parseArgs } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, isOpen, restOf, startOf, textOf } from '../shell-word.ts'

const DISK =
  'wipefs blkdiscard fdisk sfdisk sgdisk parted cryptsetup losetup swapon swapoff mdadm lvremove vgremove pvremove'

/** Commands that delete files or work on disks. */
export const REMOVE_FAMILIES: Families = {
  rm: judgeRemove,
  rmdir: judgeRemove,
  unlink: judgeRemove,
  shred: judgeRemove,
  dd: judgeDd,
  ...Object.fromEntries(DISK.split(' ').map((name) => [name, judgeDisk])),
}

/** `mkfs.ext4` and the like. */
export function isMkfs(name: string): boolean {
  return name.startsWith('mkfs')
}

/** Judges what goes away: operands of a deletion, sources of a move. */
export function judgeGone(words: readonly ShellWord[], role: PathRole, segment: Segment): void {
  for (const word of words) {
    if (word.viaHome) segment.add('HOME_DELETION')
    segment.path(word, role)
  }
}

function judgeRemove(segment: Segment): void {
  const { name, context } = segment
  segment.mark('delete')
  const { operands } = parseArgs(segment.args, name === 'shred' ? { values: 'ns' } : {})
  segment.add('DELETE')
  if (name === 'shred') segment.add('DISK')
  judgeGone(operands, 'delete', segment)
  const { deletions } = context.line
  const { folders } = context.place
  const plain = operands.every((word) => !isOpen(word) && !word.expanded)
  const exact = context.depth === 0 && !folders.unknown && folders.paths.length === 1
  if (!plain || !exact || operands.length === 0 || name === 'shred') deletions.spoiled = true
  for (const word of operands) deletions.paths.push(textOf(word) ?? '')
  if (operands.some(isDynamic)) segment.add('DELETE')
}

export function judgeDisk(segment: Segment): void {
  segment.mark('other')
  segment.add('DISK')
  for (const word of segment.args) if (!startOf(word).startsWith('-')) segment.path(word, 'write')
}

function judgeDd(segment: Segment): void {
  segment.mark('other')
  segment.add('DISK')
  for (const word of segment.args) {
    const start = startOf(word)
    if (start.startsWith('of=')) segment.path(restOf(word, 3), 'write')
    else if (start.startsWith('if=')) segment.path(restOf(word, 3), 'read')
    else if (isDynamic(word) && !start.includes('=')) segment.add('DYNAMIC_WRITE')
  }
}
