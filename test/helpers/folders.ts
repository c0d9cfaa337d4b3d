import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Removes a folder and what is in it, if it is there. A process that was just ended may have written to it a moment ago. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** A folder that goes when the running test ends. What writes to it has to be registered later: hooks run last to first. */
export function makeFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  onTestFinished(() => removeFolder(folder))
  return folder
}
