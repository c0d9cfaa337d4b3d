import { CaissonError } from '../../errors/caisson-error.ts'
import { isConfirmed } from '../shared/confirm.ts'
import type { Tally } from '../shared/tally.ts'
import { createShelf } from './shelf.ts'
import type { ThreadWorker } from './thread-worker.ts'

/** Worker threads: a blank spare, workers that hold a source, and never two sources in one. */
export interface ThreadPool {
  /** A worker at rest that holds the source of `key`, or nearly so, if there is one right now. */
  takeIdle(key: string): ThreadWorker | undefined
  /**
   * A booted worker for `key`; `opened` tells whether it already holds that source. Throws
   * `ENGINE_UNAVAILABLE` when threads do not start or `signal` aborts, and `HOST_CLOSED`.
   */
  take(request: TakeRequest): Promise<TakenThread>
  /** Takes back a worker whose call has settled. It is lent again once it has come to rest. */
  giveBack(worker: ThreadWorker, key: string): void
  /** Ends a worker and resolves once it is dead; its place is free at once. */
  discard(worker: ThreadWorker): Promise<void>
  /** Ends idle workers that hold `key`. */
  forget(key: string): void
  /** Boots the spare now instead of after the first call. */
  warm(memoryMb: number): void
  /** Ends all threads; resolves once they are dead, or a second has passed. */
  close(): Promise<void>
}

export interface TakeRequest {
  readonly key: string
  readonly memoryMb: number
  readonly signal?: AbortSignal
}

export interface TakenThread {
  readonly worker: ThreadWorker
  readonly opened: boolean
}

export interface ThreadPoolSpec {
  /** Workers that may hold a source; one more may be blank. */
  readonly maxWorkers: number
  readonly readyTimeoutMs: number
  readonly tally: Tally
  create(memoryMb: number): ThreadWorker
  diagnose(text: string): void
}

interface Waiter {
  readonly request: TakeRequest
  grant(taken: TakenThread | CaissonError): void
}

/** A worker may die of its own before it has begun; one that does so again is no accident. */
const TRIES = 2

/** Creates the pool; no thread is started until `warm()` or the first `take()`. */
export function createThreadPool(spec: ThreadPoolSpec): ThreadPool {
  const living = new Set<ThreadWorker>()
  const dying = new Set<ThreadWorker>()
  const watched = new Set<ThreadWorker>()
  const shelf = createShelf((worker) => end(worker))
  let blank: { readonly worker: ThreadWorker; readonly memoryMb: number } | undefined
  let waiting: Waiter[] = []
  let closed = false

  const spawn = (memoryMb: number): ThreadWorker => {
    const worker = spec.create(memoryMb)
    spec.tally.started()
    living.add(worker)
    void worker.dead.then(({ cause, detail, exitCode }) => {
      if (cause === 'killed' && detail === '') spec.tally.recycled()
      else if (cause !== 'spawn') spec.tally.killed()
      dying.delete(worker)
      if (remove(worker)) {
        spec.diagnose(`an idle worker thread ended by itself (exit code ${exitCode})`)
      }
      serve()
    })
    return worker
  }
  /** True when nobody held it. */
  const remove = (worker: ThreadWorker): boolean => {
    living.delete(worker)
    const isBlank = blank?.worker === worker
    if (isBlank) blank = undefined
    return shelf.remove(worker) || isBlank
  }
  const end = (worker: ThreadWorker): void => {
    if (!living.has(worker)) return
    remove(worker)
    dying.add(worker)
    worker.kill()
  }
  const choose = ({ key, memoryMb }: TakeRequest, ahead: number): TakenThread | undefined => {
    const held = shelf.take(key)
    if (held !== undefined) return { worker: held, opened: true }
    // One that is about to come to rest is worth more than a new one that has yet to load.
    const pending = shelf.pending(key)
    if (pending.length > ahead) {
      for (const worker of pending) serveAfterRest(worker)
      return undefined
    }
    if (living.size - (blank === undefined ? 0 : 1) >= spec.maxWorkers) {
      const oldest = shelf.takeOldest()
      if (oldest === undefined) return undefined
      end(oldest)
    }
    if (blank?.memoryMb !== memoryMb) return { worker: spawn(memoryMb), opened: false }
    const { worker } = blank
    blank = undefined
    return { worker, opened: false }
  }
  const serveAfterRest = (worker: ThreadWorker): void => {
    if (watched.has(worker)) return
    watched.add(worker)
    void worker.rested().then(() => {
      watched.delete(worker)
      serve()
    })
  }
  const serve = (): void => {
    const unserved: Waiter[] = []
    for (const waiter of waiting.splice(0)) {
      const { key } = waiter.request
      try {
        const ahead = unserved.filter(({ request }) => request.key === key).length
        const taken = choose(waiter.request, ahead)
        if (taken === undefined) unserved.push(waiter)
        else waiter.grant(taken)
      } catch {
        waiter.grant(notStarted('the system gives none'))
      }
    }
    waiting = [...unserved, ...waiting]
  }
  const obtain = async (request: TakeRequest): Promise<TakenThread> => {
    const { signal } = request
    const given = Promise.withResolvers<TakenThread | CaissonError>()
    const waiter: Waiter = { request, grant: given.resolve }
    const leave = (): void => {
      waiting = waiting.filter((other) => other !== waiter)
      given.resolve(notStarted('nobody waits for it'))
    }
    signal?.addEventListener('abort', leave, { once: true })
    waiting.push(waiter)
    serve()
    const taken = await given.promise
    signal?.removeEventListener('abort', leave)
    if (taken instanceof CaissonError) throw taken
    return taken
  }
  const refill = (memoryMb: number): void => {
    if (closed || blank?.memoryMb === memoryMb) return
    if (blank !== undefined) end(blank.worker)
    blank = { worker: spawn(memoryMb), memoryMb }
  }
  return {
    takeIdle: (key) => (waiting.length > 0 ? undefined : shelf.take(key, true)),
    async take(request) {
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (closed) throw hostClosed()
        const taken = await obtain(request)
        if (taken.opened) return taken
        if (await isReady(taken.worker, spec.readyTimeoutMs)) {
          setImmediate(refill, request.memoryMb)
          return taken
        }
        end(taken.worker)
      }
      throw notStarted('it dies while it starts')
    },
    giveBack(worker, key) {
      if (!living.has(worker)) return
      shelf.put(worker, key)
      if (waiting.length > 0) serve()
    },
    async discard(worker) {
      end(worker)
      serve()
      await worker.dead
    },
    forget(key) {
      for (const worker of shelf.removeAll(key)) end(worker)
    },
    warm: refill,
    async close() {
      closed = true
      for (const waiter of waiting.splice(0)) waiter.grant(hostClosed())
      for (const worker of living) end(worker)
      await Promise.all([...dying].map((worker) => isConfirmed(worker.dead)))
    },
  }
}

function hostClosed(): CaissonError {
  return new CaissonError('HOST_CLOSED', 'the host is closed')
}

function notStarted(why: string): CaissonError {
  return new CaissonError('ENGINE_UNAVAILABLE', `no worker thread could be had: ${why}`)
}

async function isReady(worker: ThreadWorker, ms: number): Promise<boolean> {
  const timer = setTimeout(() => worker.kill('spawn', 'not ready in time'), ms)
  try {
    await worker.ready
    return true
  } catch {
    return false // Why is in the worker's death; nobody has been promised this worker yet.
  } finally {
    clearTimeout(timer)
  }
}
