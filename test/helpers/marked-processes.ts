import { readdirSync, readFileSync } from 'node:fs'

/** Processes of this machine whose command line holds the marker, as the process table has them now. */
export function listMarked(marker: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readCommand(pid).includes(marker))
    .map(Number)
}

// A process may end while it is looked at.
function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}

/** All processes below one, as the process table has them now. */
export function listBelow(pid: number): number[] {
  const parents = new Map(readdirSync('/proc').flatMap(toParent))
  const below = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child)
  return below.flatMap((child) => [child, ...listBelow(child)])
}

function toParent(name: string): [number, number][] {
  if (!/^\d+$/.test(name)) return []
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')
    return [[Number(name), Number(fields[1])]]
  } catch {
    return []
  }
}
