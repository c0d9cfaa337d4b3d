import type IsolatedVm from 'isolated-vm'
import { createFrozenStage } from './frozen-stage.ts'
import type { RealmRequest } from './protocol.ts'
import {
  createIsolate,
  MAX_STRAYS,
  strayLog,
  type OpenMessage,
  type Stage,
  type StageIo,
} from './stage-parts.ts'

export type { Stage } from './stage-parts.ts'

interface Scene {
  readonly context: IsolatedVm.Context
  readonly dispatch: IsolatedVm.Reference
  /** The `loaded` report, once module top level and registration have run. */
  readonly loaded: Promise<string>
  callId?: string
  spoiled: boolean
  /** How often an error that nobody caught was reported. */
  strays: number
  entered: number
  timer?: NodeJS.Timeout | undefined
  settled: boolean
}

/** Creates the isolate of one bundle in the state that its profile asks for. */
export function createStage(ivm: typeof IsolatedVm, open: OpenMessage, io: StageIo): Stage {
  return open.state === 'frozen'
    ? createFrozenStage(ivm, open, io)
    : createFreshStage(ivm, open, io)
}

/** One isolate with one prepared context, made anew after each call. */
function createFreshStage(ivm: typeof IsolatedVm, open: OpenMessage, io: StageIo): Stage {
  const isolate = createIsolate(ivm, open.memoryMb)
  const realmScript = isolate.compileScriptSync(open.realm, { filename: 'tool:realm' })
  const bundleScript = isolate.compileScript(open.bundle, { filename: 'tool:bundle' })
  let live: Scene | undefined
  let cancelled: string | undefined
  let { env } = open.boot
  let next = prepareNext()

  function prepareNext(): Promise<Scene> {
    const prepared = prepare()
    prepared.then(
      () => io.post({ t: 'rested' }),
      () => reportMemory(),
    )
    return prepared
  }

  // Nobody disposes of the isolate here but its memory limit. Its texts prove nothing.
  function reportMemory(): void {
    if (isolate.isDisposed) io.post({ t: 'memory' })
  }

  // What nobody caught is charged to the call whose context it comes from.
  function reportStray(scene: Scene, error: unknown): void {
    if (scene.callId === undefined || scene.settled || scene.strays === MAX_STRAYS) return
    scene.strays += 1
    io.post({ t: 'event', id: scene.callId }, strayLog(error))
  }

  async function prepare(): Promise<Scene> {
    const context = isolate.createContextSync()
    let report: (text: string) => void = () => undefined
    const loaded = new Promise<string>((resolve) => (report = resolve))
    const send = new ivm.Callback((text: string) => heard(scene, text, report), { ignored: true })
    context.global.setSync('__caisson_send', send)
    context.global.setSync('__caisson_boot', JSON.stringify({ ...open.boot, env, seed: io.seed() }))
    realmScript.runSync(context)
    const dispatch = context.global.getSync('__caisson_dispatch', { reference: true })
    context.global.deleteSync('__caisson_dispatch')
    const scene: Scene = {
      context,
      dispatch,
      loaded,
      spoiled: false,
      strays: 0,
      entered: 0,
      settled: false,
    }
    await (await bundleScript).run(context)
    await enter(scene, '{"op":"load"}')
    return scene
  }

  async function enter(scene: Scene, text: string): Promise<void> {
    scene.entered += 1
    try {
      await scene.dispatch.apply(undefined, [text])
    } catch (error) {
      scene.spoiled = true
      reportMemory()
      reportStray(scene, error)
    } finally {
      scene.entered -= 1
      if (scene.settled && scene.entered === 0) retire(scene)
    }
  }

  function heard(scene: Scene, text: string, report: (text: string) => void): void {
    if (text.startsWith('{"k":"load')) return report(text)
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
    if (live !== scene) return
    live = undefined
    scene.dispatch.release()
    scene.context.release()
    io.post({ t: 'quiet', id: scene.callId, spoiled: scene.spoiled })
    if (scene.spoiled) return
    next = prepareNext()
  }

  async function call(id: string, request: RealmRequest): Promise<void> {
    const scene = await next
    await scene.loaded
    // Told to stop while its context was made: the body is not entered any more.
    if (cancelled === id) return
    live = scene
    scene.callId = id
    // Said before the body can run: where it was not said, the body has not.
    if (request.op === 'execute') io.post({ t: 'event', id }, '{"k":"started"}')
    await enter(scene, JSON.stringify(request))
  }

  const fail = (error: unknown): void => io.post({ t: 'failed', message: String(error) })
  return {
    receive(message) {
      if (message.t === 'describe') {
        next.then((scene) => scene.loaded).then((body) => io.post({ t: 'described' }, body), fail)
        return
      }
      if (message.t === 'call') {
        env = message.env ?? env
        return void call(message.id, message.request).catch(fail)
      }
      if (message.t === 'abort' && live?.callId !== message.id) cancelled = message.id
      if (live === undefined) return
      if (message.t === 'abort') {
        void enter(live, JSON.stringify({ op: 'abort', reason: message.reason }))
      }
      if (message.t === 'answer') {
        void enter(live, JSON.stringify({ op: 'answer', n: message.n, answer: message.answer }))
      }
    },
  }
}
