import { Worker } from 'node:worker_threads'

const EVERY_MS = 200
/** Without these a thread reserves half a gigabyte for code that it never has. */
const SMALL = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 1 }

/**
 * Ends this process when the one that started it is gone, although this thread may be busy with tool
 * code and see nothing of it.
 */
export function watchParent(): void {
  const code = `
    const parent = process.ppid
    setInterval(() => {
      if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
    }, ${EVERY_MS})
  `
  new Worker(code, { eval: true, stdout: true, stderr: true, resourceLimits: SMALL }).unref()
}
