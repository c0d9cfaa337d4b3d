import { readdirSync, readFileSync } from 'node:fs'

/** Processes whose command line or environment holds a text, this one aside. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && holds(pid, text))
}

function holds(pid: number, text: string): boolean {
  return [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((path) => {
    try {
      return readFileSync(path, 'utf8').includes(text)
    } catch {
      return false // It has gone, or is somebody else's.
    }
  })
}
