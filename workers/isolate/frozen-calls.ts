// Runs beside hostile code; what it shares with that code is frozen before any of it runs.
import { freezeJson } from '../shared/freeze-json.ts'
import { enterBody, invokeProjection, writeThrown } from '../shared/invoke.ts'
import type { BundleFactory, BundleModule } from '../shared/bundle-factory.ts'
import { createToolbox, type Toolbox } from '../shared/toolbox.ts'
import type { ProjectionKind } from '../../src/types/engine.ts'
import type { FrozenRealm } from '../realm/frozen/install.ts'
import type { LiveCall } from '../realm/frozen/live-call.ts'
import { createCallLink, type CallLink } from './call-link.ts'
import { createExec, type Printer } from './exec.ts'
import type { RealmBoot, RealmRequest } from './protocol.ts'

/** The bundle as a function of what stands in its scope: each call evaluates it anew. */
export type ScopeFunction = (...own: unknown[]) => BundleFactory

/** How a bundle is to be evaluated; `names` are what its parameters stand for. */
export interface BundleSetting {
  readonly names: readonly string[]
  readonly boot: RealmBoot
}

/** What the calls of a frozen realm are made with. */
export interface FrozenCallsSpec {
  readonly realm: FrozenRealm
  readonly virtual: (name: string) => unknown
  readonly send: (text: string) => void
  readonly printer: Printer
}

/** The calls of a frozen realm, one after the other. */
export interface FrozenCalls {
  /** The way in: a JSON command; answers through `send`, `advance` by what it returns. */
  dispatch(text: string): boolean | undefined
  /** Sets the bundle. */
  use(bundle: ScopeFunction, setting: BundleSetting): void
}

interface Scene {
  readonly call: LiveCall
  readonly link: CallLink
  toolbox: Toolbox | undefined
  /** Why there is no toolbox, as JSON text. */
  failure: string
}

const { parse, stringify } = JSON
const { apply, ownKeys } = Reflect
const LOAD_HORIZON_MS = 1_000
const WAITING = writeThrown(new Error('it waits for something that does not happen while it loads'))

/** Creates what serves the calls. */
export function createFrozenCalls(spec: FrozenCallsSpec): FrozenCalls {
  const { realm, virtual, send, printer } = spec
  // Parsed for each call: the one before may have changed what it was given.
  let config: string | undefined
  let env: RealmBoot['env'] = {}
  let bundle: ScopeFunction = () => () => undefined
  let names: readonly string[] = []
  let scene: Scene | undefined

  const begin = (): Scene => {
    const link = createCallLink(send)
    const call = realm.begin({
      log: link.log,
      armTimer: (ms) => send(`${ms}`),
      request: link.request,
      timersUsed: () => send('timers'),
      env,
    })
    return { call, link, toolbox: undefined, failure: WAITING }
  }
  const load = async (next: Scene): Promise<void> => {
    try {
      const own: unknown[] = []
      for (let at = 0; at < names.length; at += 1) own[at] = realm.ownOf(names[at] as string)
      const module: BundleModule = { exports: {} }
      const loading = apply(bundle, undefined, own)(requireOnce, module, module.exports)
      if (loading !== undefined) await loading
      next.toolbox = await createToolbox(module, config === undefined ? undefined : parse(config))
    } catch (thrown) {
      next.failure = writeThrown(thrown)
    }
  }
  const requireOnce = Object.freeze((name: string): unknown => {
    const found = virtual(name) ?? realm.resolveModule(name)
    if (found === undefined) throw new Error(`module ${name} is not offered here`)
    return found
  })
  const settle = (outcome: string): void => send(`{"k":"settle","outcome":${outcome}}`)
  const run = (request: RealmRequest): void => {
    // Announced first: from here on the projection's own budget counts.
    if (request.op === 'project') enterPhase(request.kind)
    const tool = scene?.toolbox?.find(request.tool)
    if (scene === undefined || tool === undefined) {
      return settle(`{"kind":"threw","thrown":${scene?.failure ?? WAITING}}`)
    }
    if (request.op === 'project') {
      return settle(invokeProjection(tool, request.kind, request.input, request.limits))
    }
    const { link, call } = scene
    const signal = realm.createSignal()
    link.open(request.limits, signal)
    const exec = createExec(request, signal.signal, link, printer)
    const { wantsMeta, limits } = request
    const options = { wantsMeta, limits, refusalOf: link.refusalOf, onPhase: enterPhase }
    call.setMode('live')
    enterBody({ tool, args: freezeJson(request.args), exec }, options, (outcome) => {
      link.close()
      call.clear()
      call.setMode('frozen')
      settle(outcome)
    })
  }
  const enterPhase = (phase: ProjectionKind): void => send(`{"k":"phase","phase":"${phase}"}`)
  return {
    dispatch(text) {
      const command = parse(text)
      switch (command.op) {
        case 'load':
          env = command.env ?? env
          void load((scene = begin()))
          return undefined
        case 'advance':
          return scene?.call.advance(LOAD_HORIZON_MS)
        case 'describe':
          send(scene === undefined ? WAITING : describe(scene, realm))
          return undefined
        case 'tick':
          scene?.call.tick()
          return undefined
        case 'abort':
          scene?.link.abort(command.reason)
          return undefined
        case 'answer':
          scene?.link.answer(command.n, command.answer)
          return undefined
        default:
          run(command as RealmRequest)
          return undefined
      }
    },
    use(given, { names: parameters, boot }) {
      bundle = given
      names = parameters
      env = boot.env
      config = boot.config === undefined ? undefined : stringify(boot.config)
    },
  }
}

function describe({ toolbox, failure }: Scene, realm: FrozenRealm): string {
  if (toolbox === undefined) return `{"k":"loadFailed","error":${failure}}`
  try {
    const wrote = ownKeys(realm.ownOf('globalThis') ?? {}).map(String)
    return stringify({ k: 'loaded', format: toolbox.format(), tools: toolbox.describe(), wrote })
  } catch (thrown) {
    return `{"k":"loadFailed","error":${writeThrown(thrown)}}`
  }
}
