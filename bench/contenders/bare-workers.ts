import { Worker } from 'node:worker_threads'
import type { Contender, OpenContender } from '../measure/contender.ts'

/** One raw worker thread and its message port: the bare primitive. */
export const openRawWorker: OpenContender = (body) =>
  openWorker('worker_threads', 'raw-worker', body)

/** A fresh node:vm context per call, in one worker thread. */
export const openVmWorker: OpenContender = (body) => openWorker('node:vm', 'vm-worker', body)

async function openWorker(name: string, file: string, body: string): Promise<Contender> {
  const worker = new Worker(new URL(`../fixtures/${file}.ts`, import.meta.url))
  const waiting: ((answer: unknown) => void)[] = []
  worker.on('message', (answer) => waiting.shift()?.(answer))
  return {
    name,
    call: (value) =>
      new Promise((resolve) => {
        waiting.push(resolve)
        worker.postMessage({ body, args: { value } })
      }),
    async close() {
      await worker.terminate()
    },
  }
}
