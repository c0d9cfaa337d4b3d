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
