import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import type { RealmRequest } from '../../../workers/isolate/protocol.ts'
import type {
  CallOrder,
  OpenTask,
  ThreadBoot,
  ThreadOrder,
} from '../../../workers/thread/protocol.ts'
import {
  awaitRest,
  createBoard,
  noteHeard,
  offerCall,
  readRest,
  readTook,
  withdrawOffer,
  type Board,
} from '../../../workers/thread/board.ts'
import {
  createMailboxMemory,
  leaveMail,
  openMailbox,
  takeMail,
  viewMailbox,
} from '../../../workers/thread/mailbox.ts'
import { toThrownRecord } from '../../../workers/shared/thrown.ts'
import { isConfirmed } from '../shared/confirm.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { parseRecord } from '../shared/parse-record.ts'
import { parseThreadMessage } from './parse-message.ts'
import { REST_MS } from './shelf.ts'
import type { Lookout } from './lookout.ts'
import { createSoloPool, watchThread, type SoloSpec } from './solo-pool.ts'

/** Hears what a worker says of one request. */
export interface ThreadListener {
  /** Something it says before it answers, unparsed; false for what fits no request. */
  event(body: unknown): boolean
  /** What it answers, unparsed; nothing of the request comes after it. */
  settled(outcome: unknown): void
  /** Nothing was begun. */
  declined(): void
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
  call(request: RealmRequest, listener: ThreadListener): ThreadCall
  /** Whether its last call is over and has left nothing behind; `pending` until that is known. */
  readonly fitness: 'fit' | 'unfit' | 'pending'
  /** True when the last call was declined: what the one before has left behind takes long. */
  readonly restless: boolean
  /** Resolves when that may have changed, after REST_MS at the latest. */
  rested(): Promise<void>
  tell(order: Exclude<ThreadOrder, CallOrder>): void
  /** Messages longer than this end the worker (`output`). */
  limitMessages(bytes: number): void
  kill(cause?: EngineDeath['cause'], detail?: string): void
}

/** A request that was handed to a worker. */
export interface ThreadCall {
  /** What its messages are tagged with. */
  readonly id: string
  /** Takes it back; false when the worker has begun with it, or has answered. */
  withdraw(): boolean
  /**
   * To be called once whoever listens is ready. Hears an answer that comes at once, and holds up this
   * thread for that moment where one is likely to.
   */
  wait(): void
}

export interface ThreadWorkerSpec extends SoloSpec {
  /** Shared by the workers of an engine. */
  readonly lookout: Lookout
  /** Something a settled call left behind has failed. */
  late(label: string, message: string): void
  /** The thread was ended a second ago and is still there. */
  stuck(): void
}

interface CurrentCall {
  readonly id: string
  readonly listener: ThreadListener
  /** Whether it is still to be answered. */
  open: boolean
}

/** Starts a worker thread with an empty environment and a heap limit. */
export function createThreadWorker(spec: ThreadWorkerSpec): ThreadWorker {
  const born = performance.now()
  const watch = spec.lookout.enter()
  const { port1: port, port2 } = new MessageChannel()
  const board = createBoard()
  const memory = { orders: createMailboxMemory(), answers: createMailboxMemory() }
  const orders = viewMailbox(memory.orders)
  const answers = viewMailbox(memory.answers)
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
  let current: CurrentCall | undefined

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
      return spec.late(message.label, message.message)
    }
    if (message.t === 'uncaught') {
      cause ??= { cause: 'uncaught', detail: message.message }
      return
    }
    if (message.t === 'declined') {
      if (current?.id === message.id && current.open) decline(current)
      return
    }
    const call = current?.id === message.id ? current : undefined
    if (message.t === 'settle' && call?.open === true) {
      close(call, readTook(board))
      restless = false
      return call.listener.settled(message.outcome)
    }
    const fits = message.t === 'event' && call?.listener.event(message.body) === true
    if (!fits) return kill('protocol', 'a message that fits no live call')
    noteHeard(board)
  }
  const close = (call: CurrentCall, tookMs?: number): void => {
    call.open = false
    watch?.answered(tookMs)
  }
  const decline = (call: CurrentCall): void => {
    close(call)
    calls -= 1
    restless = true
    call.listener.declined()
  }
  // What it has said before it ended still counts.
  const hearAll = (): void => {
    for (let left = receiveMessageOnPort(port); left; left = receiveMessageOnPort(port)) {
      receive(left.message)
    }
  }
  const call: ThreadWorker['call'] = (request, listener) => {
    const offer = (offers += 1)
    const id = String(offer)
    const made = { id, listener, open: true }
    current = made
    calls += 1
    offerCall(board, offer)
    watch?.called()
    const until = watch?.waitUntil() ?? 0
    if (until > 0) openMailbox(answers)
    const order = JSON.stringify({ t: 'call', id, request } satisfies CallOrder)
    const isLeft = leaveMail(orders, order)
    if (!isLeft) port.postMessage(order)
    return {
      id,
      withdraw() {
        if (!made.open || !withdrawOffer(board, offer)) return false
        decline(made)
        return true
      },
      wait() {
        if (until === 0) return
        const answer = takeMail(answers, isLeft ? until : 0)
        if (answer !== undefined) receive(answer)
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
      watch?.end()
      const seen = cause ?? { cause: 'exit', detail: '' }
      const death = { ...seen, exitCode, lifetimeMs: performance.now() - born }
      if (current?.open === true) close(current)
      current?.listener.died(death)
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
      const task: OpenTask = {
        text: JSON.stringify(boot),
        port: port2,
        board: board.buffer,
        ...memory,
        ...(watch === undefined ? {} : { lookout: watch.task }),
      }
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
    kill,
  }
}
