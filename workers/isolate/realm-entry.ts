// Evaluated in every fresh context before tool code. Everything it needs afterwards is captured here.
import { installGlobals, type Realm } from '../realm/globals.ts'
import { freezeJson } from '../shared/freeze-json.ts'
import { enterBody, invokeProjection, writeThrown } from '../shared/invoke.ts'
import type { BundleFactory, BundleModule } from '../shared/bundle-factory.ts'
import { createToolbox, type Toolbox } from '../shared/toolbox.ts'
import type { ProjectionKind } from '../../src/types/engine.ts'
import { findWhenNeeded } from '../shared/virtual/define-known.ts'
import { createVirtualModules } from '../shared/virtual/index.ts'
import { createCallLink, type CallLink } from './call-link.ts'
import { createExec, type Printer } from './exec.ts'
import type { RealmBoot, RealmRequest } from './protocol.ts'
import { rehearse } from './rehearsal.ts'

const { parse, stringify } = JSON
const inside = globalThis as unknown as Record<string, unknown>
const send = take('__caisson_send') as (text: string) => void
const boot = parse(take('__caisson_boot') as string) as RealmBoot & { seed: string }

const link: CallLink = createCallLink(send)
const realm: Realm = installGlobals(globalThis, {
  log: (level, text) => link.log(level, text),
  armTimer: (ms) => send(stringify(ms)),
  request: (capability, payload) => link.request(capability, payload),
  seed: boot.seed,
  env: boot.env,
})

const virtual: (name: string) => unknown = createVirtualModules(
  { schemastery: () => require('../realm/lazy/schemastery.ts') as unknown },
  boot.schemas && findWhenNeeded(boot.schemas),
)

const { debug, info, warn, error } = globalThis.console
const printer: Printer = { debug, info, warn, error }

let factory: BundleFactory | undefined
let toolbox: Toolbox | undefined
/** Why there is no toolbox, as JSON text: this context failed where an earlier one had loaded. */
let failure = writeThrown(new Error('it waits for something that does not happen while it loads'))

const LOAD_HORIZON_MS = 1_000

Object.defineProperty(inside, '__caisson_define', {
  configurable: true,
  value: (given: BundleFactory) => {
    delete inside['__caisson_define']
    factory = given
  },
})
Object.defineProperty(inside, '__caisson_dispatch', { configurable: true, value: dispatch })
rehearse(realm, printer)

/** The one way in. Takes a JSON command, answers through `send`, `advance` by what it returns. */
function dispatch(text: string): boolean | undefined {
  const command = parse(text)
  switch (command.op) {
    case 'load':
      void load()
      return undefined
    case 'advance':
      return realm.timers.advance(LOAD_HORIZON_MS)
    case 'describe':
      send(describe())
      return undefined
    case 'tick':
      realm.timers.tick()
      return undefined
    case 'abort':
      link.abort(command.reason)
      return undefined
    case 'answer':
      link.answer(command.n, command.answer)
      return undefined
    default:
      run(command as RealmRequest)
      return undefined
  }
}

async function load(): Promise<void> {
  try {
    if (factory === undefined) throw new Error('the bundle defined nothing')
    const module: BundleModule = { exports: {} }
    const loading = factory(requireVirtual, module, module.exports)
    if (loading !== undefined) await loading
    toolbox = await createToolbox(module, boot.config)
  } catch (error) {
    failure = writeThrown(error)
  }
}

function describe(): string {
  if (toolbox === undefined) return `{"k":"loadFailed","error":${failure}}`
  try {
    const tools = stringify(toolbox.describe())
    return `{"k":"loaded","format":${stringify(toolbox.format())},"tools":${tools}}`
  } catch (error) {
    return `{"k":"loadFailed","error":${writeThrown(error)}}`
  }
}

function run(request: RealmRequest): void {
  // Announced first: from here on the projection's own budget counts, whatever the tool changed.
  if (request.op === 'project') enterPhase(request.kind)
  const tool = toolbox?.find(request.tool)
  if (tool === undefined) return settle(`{"kind":"threw","thrown":${failure}}`)
  if (request.op === 'project') {
    return settle(invokeProjection(tool, request.kind, request.input, request.limits))
  }
  const call = realm.createSignal()
  link.open(request.limits, call)
  const exec = createExec(request, call.signal, link, printer)
  const options = {
    wantsMeta: request.wantsMeta,
    limits: request.limits,
    refusalOf: link.refusalOf,
    onPhase: enterPhase,
  }
  realm.timers.setMode('live')
  enterBody({ tool, args: freezeJson(request.args), exec }, options, (outcome) => {
    link.close()
    realm.timers.clear()
    realm.timers.setMode('frozen')
    settle(outcome)
  })
}

function enterPhase(phase: ProjectionKind): void {
  send(`{"k":"phase","phase":"${phase}"}`)
}

function settle(outcome: string): void {
  send(`{"k":"settle","outcome":${outcome}}`)
}

function requireVirtual(name: string): unknown {
  const found = virtual(name) ?? realm.resolveModule(name)
  if (found === undefined) throw new Error(`module ${name} is not offered here`)
  return found
}

function take(name: string): unknown {
  const value = inside[name]
  delete inside[name]
  return value
}
