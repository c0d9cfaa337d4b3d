import type { RealmRequest } from './protocol.ts'
import type { FrozenContext } from './frozen-context.ts'
import {
  MAX_TIMERS,
  reportStray,
  type OpenMessage,
  type Stage,
  type StageIo,
  type StrayCount,
} from './stage-parts.ts'

interface Turn extends StrayCount {
  readonly id: string
  spoiled: boolean
  timer?: NodeJS.Timeout | undefined
}

const SHORT_MS = 5

/**
 * Serves the calls of one bundle in a frozen context: the bundle is evaluated once for each, in a scope
 * of the call's own. Tool code runs on this thread: entering it from another would cost more than all
 * the rest of a call.
 */
export function createFrozenStage(context: FrozenContext, open: OpenMessage, io: StageIo): Stage {
  const { isolate } = context
  let turn: Turn | undefined
  let usesTimers = false
  let described: string | undefined
  let { env } = open.boot
  let sent = env
  let broken = false
  let loadMs = Infinity
  context.listen((text) => {
    if (text.startsWith('{"k":"load')) described = text
    else if (text === 'timers') usesTimers = true
    else if (!text.startsWith('{')) arm(Number(text))
    else if (turn !== undefined && !turn.settled) {
      if (text.startsWith('{"k":"settle"')) turn.settled = true
      io.post({ t: 'event', id: turn.id }, text)
    }
  })
  const failure = context.failure ?? tryUse(context, open)
  if (failure !== undefined) return createFailedStage(failure, io)

  function enter(text: string): unknown {
    try {
      return context.dispatch(text)
    } catch (error) {
      stray(error)
      return undefined
    }
  }

  // What nobody caught is charged to the call it comes from; between calls nobody can be.
  function stray(error: unknown): void {
    if (isolate.isDisposed) io.post({ t: 'memory' })
    if (turn === undefined) return void (broken = true)
    turn.spoiled = true
    reportStray(io, turn.id, turn, error)
  }

  function arm(ms: number): void {
    const at = turn
    clearTimeout(at?.timer)
    if (at === undefined || at.settled) return
    at.timer = setTimeout(() => proceed(at, '{"op":"tick"}'), Math.max(0, ms))
  }

  function proceed(at: Turn, text: string): void {
    if (turn !== at) return
    enter(text)
    if (!at.settled) return
    clearTimeout(at.timer)
    turn = undefined
    const spoiled = at.spoiled || broken
    const rest = (): void => {
      io.post({ t: 'quiet', id: at.id, spoiled })
      if (!spoiled) load()
    }
    // What takes long to evaluate must not make a call seem to leave something behind.
    if (loadMs < SHORT_MS) io.together(rest)
    else rest()
  }

  /** Evaluates the bundle for the next call, until it has come to rest. */
  function load(): void {
    const begun = performance.now()
    usesTimers = false
    enter(env === sent ? '{"op":"load"}' : JSON.stringify({ op: 'load', env }))
    sent = env
    for (let timers = 0; usesTimers && timers < MAX_TIMERS; timers += 1) {
      if (enter('{"op":"advance"}') !== true) break
    }
    loadMs = performance.now() - begun
    if (!isolate.isDisposed) io.post({ t: 'rested' })
  }

  function call(id: string, request: RealmRequest): void {
    turn = { id, settled: false, spoiled: broken, strays: 0 }
    // Said before the body can run: where it was not said, the body has not.
    if (request.op === 'execute') io.post({ t: 'event', id }, '{"k":"started"}')
    proceed(turn, JSON.stringify(request))
  }

  function describe(): void {
    enter('{"op":"describe"}')
    if (described !== undefined) io.post({ t: 'described' }, described)
  }

  load()
  return {
    receive(message) {
      if (message.t === 'describe') return describe()
      if (message.t === 'call') {
        env = message.env ?? env
        return call(message.id, message.request)
      }
      if (message.t === 'open' || turn?.id !== message.id) return
      const { id: _id, t: op, ...rest } = message
      proceed(turn, JSON.stringify({ op, ...rest }))
    },
  }
}

/** A runner whose realm could not be frozen, or whose bundle is no script: it says so when asked. */
function createFailedStage(message: string, io: StageIo): Stage {
  io.post({ t: 'rested' })
  return {
    receive({ t }) {
      if (t === 'describe' || t === 'call') io.post({ t: 'failed', message })
    },
  }
}

function tryUse(
  context: FrozenContext,
  { bundle, names = [], boot }: OpenMessage,
): string | undefined {
  try {
    context.use(bundle, JSON.stringify({ names, boot }))
    return undefined
  } catch (error) {
    return String(error)
  }
}
