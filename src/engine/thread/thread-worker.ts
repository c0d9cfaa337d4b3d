import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import type { RealmRequest } from '../../../workers/isolate/protocol.ts'
import {
  DECLINED,
  type CallTask,
  type OpenTask,
  type ThreadBoot,
  type ThreadOrder,
} from '../../../workers/thread/protocol.ts'
import {
  awaitRest,
  createBoard,
  isUnheard,
  noteHeard,
  offerCall,
  readRest,
  withdrawOffer,
  type Board,
} from '../../../workers/thread/board.ts'
import { toThrownRecord } from '../../../workers/shared/thrown.ts'
import { isConfirmed } from '../shared/confirm.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { parseRecord } from '../shared/parse-record.ts'
import { parseThreadMessage } from './parse-message.ts'
import { REST_MS } from './shelf.ts'
import { createSoloPool, watchThread, type SoloSpec } from './solo-pool.ts'

/** Hears what a worker says while it is held. */
export interface ThreadListener {
  event(id: string, body: unknown): void
  died(death: EngineDeath): void
}

/** One worker thread: a Piscina of exactly one, so that a task is a worker. */
export interface ThreadWorker {
  /** Resolves to the heap limit in bytes that V8 has set; rejects when the thread does not start. */
  readonly ready: Promise<number>
  /** Resolves once the thread is confirmed dead. */
  readonly dead: Promise<EngineDeath>
  readonly isDead: boolean
  readonly board: Board
  /** What the worker said of its source; undefined until it is open. */
  readonly description: unknown
  /** Gives the worker its source; resolves to what it says of it. Rejects when the worker dies. */
  open(boot: ThreadBoot): Promise<unknown>
  /** Hands over a request; the worker declines it if it has not come to rest by then. */
  call(request: RealmRequest): ThreadCall
  /** Whether its last call is over and has left nothing behind; `pending` until that is known. */
  readonly fitness: 'fit' | 'unfit' | 'pending'
  /** True when the last call was declined: what the one before has left behind takes long. */
  readonly restless: boolean
  /** Resolves when that may have changed, after REST_MS at the latest. */
  rested(): Promise<void>
  tell(order: ThreadOrder): void
  /** Messages longer than this end the worker (`output`). */
  limitMessages(bytes: number): void
  listen(listener: ThreadListener | undefined): void
  kill(cause?: EngineDeath['cause'], detail?: string): void
}

/**
 * What a worker answered, unparsed; undefined for what no healthy one gives, `declined` when nothing
 * was begun.
 */
export type ThreadAnswer = Readonly<Record<string, unknown>> | 'declined' | undefined

/** A request that was handed to a worker. */
export interface ThreadCall {
  /** What its messages are tagged with. */
  readonly id: string
  /** After everything said before it has been heard. Rejects when the worker ends under it. */
  readonly answer: Promise<ThreadAnswer>
  /** Takes it back; false when the worker has begun with it, or has answered. */
  withdraw(): boolean
}

export interface ThreadWorkerSpec extends SoloSpec {
  /** Something a settled call left behind has failed. */
  late(label: string, message: string): void
  /** The thread was ended a second ago and is still there. */
  stuck(): void
}

/** Starts a worker thread with an empty environment and a heap limit. */
export function createThreadWorker(spec: ThreadWorkerSpec): ThreadWorker {
  const born = performance.now()
  const { port1: port, port2 } = new MessageChannel()
  const board = createBoard()
  const pool = createSoloPool(spec)
  const dead = Promise.withResolvers<EngineDeath>()
  let cause: Pick<EngineDeath, 'cause' | 'detail'> | undefined
  let killed = false
  let isDead = false
  let spoiled = false
  let messageBytes = 0
  let description: unknown
  /** Calls that it has begun with, or will. */
  let calls = 0
  let offers = 0
  let restless = false
  let listener: ThreadListener | undefined

  const kill: ThreadWorker['kill'] = (why = 'killed', detail = '') => {
    cause ??= { cause: why, detail }
    if (killed || isDead) return
    killed = true
    void pool.destroy()
    void isConfirmed(dead.promise).then((seen) => seen || spec.stuck())
  }
  const isReadable = (text: unknown): text is string => {
    if (killed) return false
    if (typeof text !== 'string') kill('protocol', 'a message that is no text')
    else if (text.length * 3 > messageBytes && Buffer.byteLength(text) > messageBytes) {
      kill('output', 'an answer longer than the profile allows')
    }
    return !killed
  }
  const receive = (text: unknown): void => {
    if (!isReadable(text)) return
    const message = parseThreadMessage(text)
    if (message === undefined) return kill('protocol', 'a message of the wrong shape')
    if (message.t === 'late') {
      spoiled = true
      spec.late(message.label, message.message)
    } else if (message.t === 'event') {
      noteHeard(board)
      listener?.event(message.id, message.body)
    } else cause ??= { cause: 'uncaught', detail: message.message }
  }
  // The port and the task are two ways; what went by the port first must count first.
  const hearAll = (): void => {
    for (let left = receiveMessageOnPort(port); left; left = receiveMessageOnPort(port)) {
      receive(left.message)
    }
  }
  const call = (request: RealmRequest): ThreadCall => {
    const offer = (offers += 1)
    const id = String(offer)
    let open = true
    const decline = (): void => {
      if (open) calls -= 1
      open = false
      restless = true
    }
    const settle = (answer: unknown): ThreadAnswer => {
      if (isUnheard(board)) hearAll()
      if (answer === DECLINED) {
        decline()
        return 'declined'
      }
      open = false
      restless = false
      return isReadable(answer) ? parseRecord(answer) : undefined
    }
    calls += 1
    offerCall(board, offer)
    const task = JSON.stringify({ id, request } satisfies CallTask)
    return {
      id,
      answer: pool.run(task, { name: 'call' }).then(settle),
      withdraw() {
        if (!open || !withdrawOffer(board, offer)) return false
        decline()
        return true
      },
    }
  }
  port.on('message', receive)
  port.unref()
  const ready = pool.run(undefined, { name: 'boot' }).then(Number)
  ready.catch(() => undefined)
  watchThread(pool, {
    failed(error) {
      const memory = Object(error).code === 'ERR_WORKER_OUT_OF_MEMORY'
      cause ??= memory
        ? { cause: 'memory', detail: 'V8 ran out of memory' }
        : { cause: 'uncaught', detail: toThrownRecord(error).message }
    },
    exited(exitCode) {
      hearAll()
      port.close()
      isDead = true
      const seen = cause ?? { cause: 'exit', detail: '' }
      const death = { ...seen, exitCode, lifetimeMs: performance.now() - born }
      listener?.died(death)
      dead.resolve(death)
    },
  })
  return {
    ready,
    dead: dead.promise,
    get isDead() {
      return isDead
    },
    board,
    get description() {
      return description
    },
    async open(boot) {
      const task: OpenTask = { text: JSON.stringify(boot), port: port2, board: board.buffer }
      const options = { name: 'open', transferList: [port2] as never }
      description = parseRecord(String(await pool.run(task, options)))
      return description
    },
    call,
    get fitness() {
      return isDead || killed || spoiled ? 'unfit' : readRest(board, calls)
    },
    get restless() {
      return restless
    },
    rested: () => awaitRest(board, calls, REST_MS),
    tell: (order) => port.postMessage(JSON.stringify(order)),
    limitMessages: (bytes) => {
      messageBytes = bytes
    },
    listen: (given) => {
      listener = given
    },
    kill,
  }
}
