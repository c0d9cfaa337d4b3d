import { AsyncLocalStorage } from 'node:async_hooks'
import type { MessagePort } from 'node:worker_threads'
import type { CallLink } from '../isolate/call-link.ts'
import { toThrownRecord } from '../shared/thrown.ts'
import type { ThreadMessage } from './protocol.ts'

/** A call, from the time it is live until the last of its code has run. */
export interface ScopedCall {
  readonly id: string
  /** Names the call in diagnostics. */
  readonly label: string
  readonly link: CallLink
}

/** Knows which call any piece of running code belongs to, however it got to run. */
export interface CallScope {
  run<T>(call: ScopedCall, code: () => T): T
  /** Rejects when the source fails outside of `load` before it has settled, as Node would have it. */
  loading<T>(load: Promise<T>): Promise<T>
  /** Logs for the call whose code is running; nothing after it has settled. */
  log(level: string, text: string): void
  /** Something failed that nobody was there to catch: the worker is not to be trusted with more. */
  readonly spoiled: boolean
}

/**
 * Takes over what nobody caught in this worker: a rejection goes into the log of its call, an
 * exception ends the worker under its call, and neither touches a call it does not belong to.
 */
export function createCallScope(port: MessagePort): CallScope {
  const storage = new AsyncLocalStorage<ScopedCall>()
  let failLoad: ((error: unknown) => void) | undefined
  let spoiled = false
  const say = (message: ThreadMessage): void => port.postMessage(JSON.stringify(message))

  const failed = (thrown: unknown, kind: 'exception' | 'rejection'): void => {
    const call = storage.getStore()
    // A refusal nobody waited for is an answer, not a failure.
    if (kind === 'rejection' && call?.link.refusalOf(thrown) !== undefined) return
    spoiled = true
    const { message } = toThrownRecord(thrown)
    if (call?.link.isLive() !== true) {
      if (call === undefined && failLoad !== undefined) failLoad(thrown)
      else say({ t: 'late', label: call?.label ?? 'its source', message })
    } else if (kind === 'rejection') {
      call.link.log('error', `unhandled rejection: ${message}`)
    } else {
      say({ t: 'uncaught', id: call.id, message })
      process.exit(1)
    }
  }
  process.on('uncaughtException', (error) => failed(error, 'exception'))
  process.on('unhandledRejection', (reason) => failed(reason, 'rejection'))
  return {
    run: (call, code) => storage.run(call, code),
    async loading(load) {
      const failure = Promise.withResolvers<never>()
      failLoad = failure.reject
      try {
        return await Promise.race([load, failure.promise])
      } finally {
        failLoad = undefined
      }
    },
    log: (level, text) => storage.getStore()?.link.log(level, text),
    get spoiled() {
      return spoiled
    },
  }
}
