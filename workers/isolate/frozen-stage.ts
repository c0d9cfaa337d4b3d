import type IsolatedVm from 'isolated-vm'
import type { RealmRequest } from './protocol.ts'
import { watchParent } from './parent-watch.ts'
import {
  createIsolate,
  MAX_STRAYS,
  strayLog,
  type OpenMessage,
  type Stage,
  type StageIo,
} from './stage-parts.ts'

interface Turn {
  readonly id: string
  settled: boolean
  spoiled: boolean
  /** How often an error that nobody caught was reported. */
  strays: number
  timer?: NodeJS.Timeout | undefined
}

const MAX_TIMERS = 1_000

/**
 * Creates the isolate of one bundle with one context that is frozen before the bundle is evaluated,
 * once for each call, in a scope of the call's own. Tool code runs on this thread: entering it from
 * another would cost more than all the rest of a call.
 */
export function createFrozenStage(ivm: typeof IsolatedVm, open: OpenMessage, io: StageIo): Stage {
  watchParent()
  const isolate = createIsolate(ivm, open.memoryMb)
  const context = isolate.createContextSync()
  let turn: Turn | undefined
  let usesTimers = false
  let described: string | undefined
  let { env } = open.boot
  let sent = env
  let broken = false

  const heard = (text: string): void => {
    if (text.startsWith('{"k":"load')) described = text
    else if (text === 'timers') usesTimers = true
    else if (!text.startsWith('{')) arm(Number(text))
    else if (turn !== undefined && !turn.settled) {
      if (text.startsWith('{"k":"settle"')) turn.settled = true
      io.post({ t: 'event', id: turn.id }, text)
    }
  }
  const opened = tryOpen(ivm, { isolate, context, open, seed: io.seed() }, heard)
  if ('failure' in opened) return createFailedStage(opened.failure, io)
  const { dispatch } = opened

  /** Runs a command and all microtasks it leads to. */
  function enter(text: string): unknown {
    try {
      return dispatch.applySync(undefined, [text])
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
    if (turn.settled || turn.strays === MAX_STRAYS) return
    turn.strays += 1
    io.post({ t: 'event', id: turn.id }, strayLog(error))
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
    io.post({ t: 'quiet', id: at.id, spoiled })
    if (!spoiled) load()
  }

  /** Evaluates the bundle for the next call, until it has come to rest. */
  function load(): void {
    usesTimers = false
    enter(env === sent ? '{"op":"load"}' : JSON.stringify({ op: 'load', env }))
    sent = env
    for (let timers = 0; usesTimers && timers < MAX_TIMERS; timers += 1) {
      if (enter('{"op":"advance"}') !== true) break
    }
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

function tryOpen(
  ivm: typeof IsolatedVm,
  spec: ContextSpec,
  heard: (text: string) => void,
): { dispatch: IsolatedVm.Reference } | { failure: string } {
  try {
    return { dispatch: openContext(ivm, spec, heard) }
  } catch (error) {
    return { failure: String(error) }
  }
}

interface ContextSpec {
  readonly isolate: IsolatedVm.Isolate
  readonly context: IsolatedVm.Context
  readonly open: OpenMessage
  readonly seed: string
}

/** Installs and freezes the realm, then hands it the bundle. Nothing of the bundle has run. */
function openContext(
  ivm: typeof IsolatedVm,
  { isolate, context, open, seed }: ContextSpec,
  heard: (text: string) => void,
): IsolatedVm.Reference {
  const { global } = context
  global.setSync('__caisson_send', new ivm.Callback(heard))
  global.setSync('__caisson_boot', JSON.stringify({ ...open.boot, seed }))
  isolate.compileScriptSync(open.realm, { filename: 'tool:realm' }).runSync(context)
  const dispatch = global.getSync('__caisson_dispatch', { reference: true })
  const seal = global.getSync('__caisson_seal', { reference: true })
  seal.applySync(undefined, [])
  const bundle = isolate.compileScriptSync(open.bundle, { filename: 'tool:bundle' })
  const scope = bundle.runSync(context, { reference: true }) as IsolatedVm.Reference
  dispatch.applySync(undefined, [JSON.stringify(open.names ?? []), scope.derefInto()])
  return dispatch
}
