import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import {
  createMailboxMemory,
  leaveMail,
  openMailbox,
  takeMail,
  viewMailbox,
} from '../../../workers/thread/mailbox.ts'

test('a mailbox takes one text while it is open, and none that is too long for it', () => {
  const memory = createMailboxMemory()
  const [host, worker] = [viewMailbox(memory), viewMailbox(memory)]
  expect(leaveMail(host, 'too early')).toBe(false)
  openMailbox(worker)
  expect(leaveMail(host, 'x'.repeat(64 * 1024))).toBe(false)
  expect(leaveMail(host, 'ü€😀')).toBe(true)
  expect(leaveMail(host, 'a second one')).toBe(false)
  expect(takeMail(worker)).toBe('ü€😀')
  expect(leaveMail(host, 'too late')).toBe(false)
  expect(takeMail(worker)).toBeUndefined()
})

const TAKER = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.url).then(({ openMailbox, takeMail, viewMailbox }) => {
    const mailbox = viewMailbox(workerData.memory)
    const taken = []
    parentPort.on('message', (text) => {
      if (text === 'end') return parentPort.postMessage(taken), parentPort.close()
      taken.push(text)
      look()
    })
    const look = () => {
      openMailbox(mailbox)
      // Sometimes gone before anything comes, sometimes just then.
      const text = takeMail(mailbox, performance.now() + (taken.length % 5) * 0.01)
      if (text === undefined) return parentPort.postMessage('asleep')
      taken.push(text)
      setImmediate(look)
    }
    parentPort.postMessage('ready')
  })
`

test('a text is left or it is sent: between two threads none is lost and none comes twice', async () => {
  const memory = createMailboxMemory()
  const mailbox = viewMailbox(memory)
  const url = new URL('../../../workers/thread/mailbox.ts', import.meta.url).href
  const worker = new Worker(TAKER, { eval: true, workerData: { memory, url } })
  const { promise, resolve } = Promise.withResolvers<readonly string[]>()
  const ready = Promise.withResolvers<unknown>()
  worker.on('message', (said: string | readonly string[]) => {
    if (typeof said !== 'string') resolve(said)
    else if (said === 'ready') ready.resolve(undefined)
  })
  await ready.promise
  const texts = Array.from({ length: 5_000 }, (_, n) => `text ${n}`)
  let left = 0
  for (const text of texts) {
    if (leaveMail(mailbox, text)) left += 1
    else worker.postMessage(text)
    // As a call does: the next one follows once the one before has been seen.
    const until = performance.now() + 0.05
    while (Atomics.load(mailbox.words, 0) === 2 || performance.now() < until);
  }
  worker.postMessage('end')
  const taken = await promise
  await worker.terminate()
  expect(taken.toSorted()).toEqual(texts.toSorted())
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(texts.length)
})
