import type IsolatedVm from 'isolated-vm'
import type { RealmRequest } from './protocol.ts'
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

/** One of several stages in a runner: tool code runs on a thread of its own. */
export interface SharedStage extends Stage {
  /** CPU time of the request that runs, in milliseconds; 0 while none does. */
  spentMs(): number
  /** Ends what runs in it, if it can be ended; says so once nothing does any more. */
  drop(): void
}

/** A context, from before its one request until after it. */
interface Scene extends StrayCount {
  readonly context: IsolatedVm.Context
  readonly dispatch: IsolatedVm.Reference
  callId?: string
  spoiled: boolean
  /** Commands that have not come to their end. */
  entered: number
  timer?: NodeJS.Timeout | undefined
}

const NS_PER_MS = 1_000_000n

/** Creates the isolate of one slot with one prepared context, made anew after each request. */
export function createSharedStage(
  ivm: typeof IsolatedVm,
  open: OpenMessage,
  io: StageIo & { readonly slot: number },
): SharedStage {
  const isolate = createIsolate(ivm, open.memoryMb, { threadOf: `slot ${io.slot}` })
  const realmScript = isolate.compileScriptSync(open.realm, { filename: 'tool:realm' })
  const bundleScript = isolate.compileScript(open.bundle, { filename: 'tool:bundle' })
  let described: string | undefined
  let live: Scene | undefined
  let cancelled: string | undefined
  let { env, schemas } = open.boot
  let spentBefore = 0n
  let entries = 0
  let whenStill: (() => void) | undefined
  let next = prepareNext()

  function prepareNext(): Promise<Scene> {
    const prepared = prepare()
    prepared.then(
      () => io.post({ t: 'rested' }),
      () => reportMemory(),
    )
    return prepared
  }

  // Nobody disposes of the isolate but its memory limit and `drop`. Its texts prove nothing.
  function reportMemory(): void {
    if (isolate.isDisposed && whenStill === undefined) io.post({ t: 'memory' })
  }

  async function prepare(): Promise<Scene> {
    const context = await isolate.createContext()
    const send = new ivm.Callback((text: string) => heard(scene, text), { ignored: true })
    const boot = { ...open.boot, env, schemas, seed: io.seed() }
    const dispatch = bootRealm(context, realmScript, { send, boot })
    const scene: Scene = {
      context,
      dispatch,
      settled: false,
      spoiled: false,
      entered: 0,
      strays: 0,
    }
    await count((await bundleScript).run(context))
    await enter(scene, '{"op":"load"}')
    for (let timers = 0; timers < MAX_TIMERS; timers += 1) {
      if ((await enter(scene, '{"op":"advance"}')) !== true) break
    }
    return scene
  }

  async function count<T>(work: Promise<T>): Promise<T> {
    entries += 1
    try {
      return await work
    } finally {
      entries -= 1
      if (entries === 0) whenStill?.()
    }
  }

  async function enter(scene: Scene, text: string): Promise<unknown> {
    scene.entered += 1
    try {
      return await count(scene.dispatch.apply(undefined, [text]))
    } catch (error) {
      scene.spoiled = true
      reportMemory()
      // What nobody caught is charged to the call whose context it comes from.
      reportStray(io, scene.callId, scene, error)
      return undefined
    } finally {
      scene.entered -= 1
      if (scene.settled && scene.entered === 0) retire(scene)
    }
  }

  function heard(scene: Scene, text: string): void {
    if (text.startsWith('{"k":"load')) return void (described = text)
    if (!text.startsWith('{')) return arm(scene, Number(text))
    if (scene.callId === undefined || scene.settled) return
    if (text.startsWith('{"k":"settle"')) {
      scene.settled = true
      clearTimeout(scene.timer)
    }
    io.post({ t: 'event', id: scene.callId }, text)
    if (scene.settled && scene.entered === 0) retire(scene)
  }

  function arm(scene: Scene, ms: number): void {
    clearTimeout(scene.timer)
    if (scene.settled || scene.callId === undefined) return
    scene.timer = setTimeout(() => void enter(scene, '{"op":"tick"}'), Math.max(0, ms))
  }

  function retire(scene: Scene): void {
    if (live !== scene || whenStill !== undefined) return
    live = undefined
    scene.dispatch.release()
    scene.context.release()
    io.post({ t: 'quiet', id: scene.callId, spoiled: scene.spoiled })
    if (!scene.spoiled) next = prepareNext()
  }

  async function call(id: string, request: RealmRequest): Promise<void> {
    const scene = await next
    // Told to stop while its context was made: the body is not entered any more.
    if (cancelled === id || whenStill !== undefined) return
    live = scene
    scene.callId = id
    spentBefore = isolate.cpuTime
    // Said before the body can run: where it was not said, the body has not.
    if (request.op === 'execute') io.post({ t: 'event', id }, '{"k":"started"}')
    await enter(scene, JSON.stringify(request))
  }

  async function describe(): Promise<void> {
    await enter(await next, '{"op":"describe"}')
    if (described === undefined) return
    io.post({ t: 'described' }, described)
    schemas = knownFrom(described)
  }

  const fail = (error: unknown): void => {
    if (whenStill === undefined) io.post({ t: 'failed', message: String(error) })
  }
  return {
    receive(message) {
      if (message.t === 'describe') return void describe().catch(fail)
      if (message.t === 'call') {
        env = message.env ?? env
        return void call(message.id, message.request).catch(fail)
      }
      if (message.t === 'open') return
      if (live?.callId !== message.id) {
        if (message.t === 'abort') cancelled = message.id
        return
      }
      const { id: _id, t: op, ...rest } = message
      void enter(live, JSON.stringify({ op, ...rest }))
    },
    spentMs: () =>
      live === undefined || isolate.isDisposed
        ? 0
        : Number((isolate.cpuTime - spentBefore) / NS_PER_MS),
    drop() {
      const said = (): void => io.post({ t: 'dropped' })
      clearTimeout(live?.timer)
      whenStill = said
      if (!isolate.isDisposed) isolate.dispose()
      if (entries === 0) said()
    },
  }
}
