import type IsolatedVm from 'isolated-vm'
import type { RealmRequest } from './protocol.ts'
import { watchParent } from './parent-watch.ts'
import {
  bootRealm,
  createIsolate,
  knownFrom,
  MAX_TIMERS,
  reportStray,
  type OpenMessage,
  type Stage,
  type StageIo,
  type StrayCount,
} from './stage-parts.ts'

/** A context, from before its one request until after it. */
interface Scene extends StrayCount {
  readonly context: IsolatedVm.Context
  readonly dispatch: IsolatedVm.Reference
  callId?: string
  spoiled: boolean
  timer?: NodeJS.Timeout | undefined
}

/**
 * Creates the isolate of one bundle with one prepared context, made anew after each request. Tool code
 * runs on this thread: entering it from another would cost more than most calls.
 */
export function createFreshStage(ivm: typeof IsolatedVm, open: OpenMessage, io: StageIo): Stage {
  watchParent()
  const ready = io.warmed?.memoryMb === open.memoryMb ? io.warmed : undefined
  const isolate = ready?.isolate ?? createIsolate(ivm, open.memoryMb)
  const realmScript =
    ready?.realmScript ?? isolate.compileScriptSync(open.realm, { filename: 'tool:realm' })
  let described: string | undefined
  let live: Scene | undefined
  let cancelled: string | undefined
  let { env, schemas } = open.boot
  /** What was sent while a context was made may not have been read yet. */
  let isUnread = false
  const bundleScript = attempt(() =>
    isolate.compileScriptSync(open.bundle, { filename: 'tool:bundle' }),
  )
  let next = prepareNext()

  function prepareNext(): Scene | Failed {
    const prepared = attempt(prepare)
    if (isolate.isDisposed) io.post({ t: 'memory' })
    else if (!('failure' in prepared)) io.post({ t: 'rested' })
    isUnread = true
    setImmediate(() => (isUnread = false))
    return prepared
  }

  function prepare(): Scene {
    if ('failure' in bundleScript) throw bundleScript.failure
    const context = isolate.createContextSync()
    const send = new ivm.Callback((text: string) => heard(scene, text))
    const boot = { ...open.boot, env, schemas, seed: io.seed() }
    const dispatch = bootRealm(context, realmScript, { send, boot })
    const scene: Scene = { context, dispatch, settled: false, spoiled: false, strays: 0 }
    bundleScript.runSync(context)
    enter(scene, '{"op":"load"}')
    for (let timers = 0; timers < MAX_TIMERS; timers += 1) {
      if (enter(scene, '{"op":"advance"}') !== true) break
    }
    return scene
  }

  /**
   * Runs a command and all microtasks it leads to. A rejection that nobody handles ends in `catch`,
   * unless its promise is collected before the entry ends: isolated-vm holds it weakly.
   */
  function enter(scene: Scene, text: string): unknown {
    try {
      return scene.dispatch.applySync(undefined, [text])
    } catch (error) {
      scene.spoiled = true
      stray(scene, error)
      return undefined
    }
  }

  // What nobody caught is charged to the call whose context it comes from. Whether the isolate has
  // reached its memory limit is seen from outside: the texts of its errors prove nothing.
  function stray(scene: Scene, error: unknown): void {
    if (isolate.isDisposed) io.post({ t: 'memory' })
    reportStray(io, scene.callId, scene, error)
  }

  function heard(scene: Scene, text: string): void {
    if (text.startsWith('{"k":"load')) described = text
    else if (!text.startsWith('{')) arm(scene, Number(text))
    else if (scene.callId !== undefined && !scene.settled) {
      if (text.startsWith('{"k":"settle"')) scene.settled = true
      io.post({ t: 'event', id: scene.callId }, text)
    }
  }

  function arm(scene: Scene, ms: number): void {
    clearTimeout(scene.timer)
    if (scene.settled || scene.callId === undefined) return
    scene.timer = setTimeout(() => proceed(scene, '{"op":"tick"}'), Math.max(0, ms))
  }

  function proceed(scene: Scene, text: string): void {
    if (live !== scene) return
    enter(scene, text)
    if (!scene.settled) return
    live = undefined
    clearTimeout(scene.timer)
    io.post({ t: 'quiet', id: scene.callId, spoiled: scene.spoiled })
    if (open.state === 'sticky' && !scene.spoiled) return keep(scene)
    scene.dispatch.release()
    scene.context.release()
    if (!scene.spoiled) next = prepareNext()
  }

  // The next call finds what this one has left; nothing of it runs until then.
  function keep(scene: Scene): void {
    delete scene.callId
    scene.settled = false
    scene.strays = 0
    io.post({ t: 'rested' })
  }

  function call(id: string, request: RealmRequest): void {
    // Told to stop while its context was made: the body is not entered any more.
    if (cancelled === id) return
    if ('failure' in next) return fail(next)
    live = next
    live.callId = id
    // Said before the body can run: where it was not said, the body has not.
    if (request.op === 'execute') io.post({ t: 'event', id }, '{"k":"started"}')
    proceed(live, JSON.stringify(request))
  }

  function describe(): void {
    if ('failure' in next) return fail(next)
    enter(next, '{"op":"describe"}')
    if (described === undefined) return
    io.post({ t: 'described' }, described)
    schemas = knownFrom(described)
  }

  function fail({ failure }: Failed): void {
    io.post({ t: 'failed', message: String(failure) })
  }

  return {
    receive(message) {
      if (message.t === 'describe') return describe()
      if (message.t === 'call') {
        env = message.env ?? env
        const { id, request } = message
        return void (isUnread ? setImmediate(call, id, request) : call(id, request))
      }
      if (message.t === 'open') return
      if (live?.callId !== message.id) {
        if (message.t === 'abort') cancelled = message.id
        return
      }
      const { id: _id, t: op, ...rest } = message
      proceed(live, JSON.stringify({ op, ...rest }))
    },
  }
}

interface Failed {
  readonly failure: unknown
}

function attempt<T extends object>(make: () => T): T | Failed {
  try {
    return make()
  } catch (failure) {
    return { failure }
  }
}
