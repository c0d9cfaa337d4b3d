// What a Node program of the process engine begins with: loads one source and runs one request.
import { freezeDeep } from '../../src/json/freeze.ts'
import type { ProjectionKind } from '../../src/types/engine.ts'
import type { RunnerMessage, RealmRequest } from '../isolate/protocol.ts'
import { createCallLink, type CallLink } from '../isolate/call-link.ts'
import { createExec, type Printer } from '../isolate/exec.ts'
import { invokeBody, invokeProjection, writeThrown } from '../shared/invoke.ts'
import { toThrownRecord } from '../shared/thrown.ts'
import type { Toolbox } from '../shared/toolbox.ts'
import { evaluateBundle } from '../thread/load-bundle.ts'
import { installConsole } from '../thread/console.ts'
import { openHostChannel } from './channel.ts'
import { createBrokeredFetch } from './fetch.ts'
import { PROGRAM_SESSION, type ProgramOpen, type ProgramOrder } from './protocol.ts'

const { parse, stringify } = JSON
const exit = process.exit.bind(process)
const channel = openHostChannel()

/** What a body throws when memory is refused to it, by its own heap or by the limits around it. */
const MEMORY = /array buffer allocation failed|allocate memory|unable to grow/i

let callId: string | undefined
let opened: Promise<Toolbox> | undefined
let failLoad: ((error: unknown) => void) | undefined
const link: CallLink = createCallLink((event) => post({ t: 'event', id: callId }, event))
const printer: Printer = installConsole((level, text) => link.log(level, text))
globalThis.fetch = createBrokeredFetch((capability, payload) => link.request(capability, payload))

process.on('unhandledRejection', (reason) => {
  if (failLoad !== undefined) failLoad(reason)
  else if (link.refusalOf(reason) === undefined) {
    link.log('error', `unhandled rejection: ${toThrownRecord(reason).message}`)
  }
})
channel.listen(
  (text) => obey(parse(text) as ProgramOrder),
  () => exit(1),
)
post({ t: 'ready' })

function post(message: Record<string, unknown> & { t: RunnerMessage['t'] }, raw = ''): void {
  const head = stringify({ ...message, s: PROGRAM_SESSION })
  channel.send(raw === '' ? head : `${head}\n${raw}`)
}

function obey(order: ProgramOrder): void {
  switch (order.t) {
    case 'open':
      opened = load(order)
      opened.catch(() => undefined) // Whoever asks for the tools is told.
      return
    case 'describe':
      return void describe()
    case 'call':
      return void call(order.id, order.request)
    case 'abort':
      return link.abort(order.reason)
    case 'answer':
      return link.answer(order.n, order.answer)
  }
}

async function load({ code, entry, config }: ProgramOpen): Promise<Toolbox> {
  const failure = Promise.withResolvers<never>()
  failLoad = failure.reject
  try {
    const boot = { code, entry, config, env: {} }
    return await Promise.race([evaluateBundle(boot, requireSchemastery), failure.promise])
  } finally {
    failLoad = undefined
  }
}

async function describe(): Promise<void> {
  try {
    const toolbox = await toolsOf(opened)
    const tools = stringify(toolbox.describe())
    post(
      { t: 'described' },
      `{"k":"loaded","format":${stringify(toolbox.format())},"tools":${tools}}`,
    )
  } catch (error) {
    post({ t: 'described' }, `{"k":"loadFailed","error":${writeThrown(error)}}`)
  }
}

async function call(id: string, request: RealmRequest): Promise<void> {
  callId = id
  try {
    const outcome = await perform(await toolsOf(opened), request)
    link.close()
    post({ t: 'event', id }, `{"k":"settle","outcome":${outcome}}`)
    // Nobody is let in here again.
    post({ t: 'quiet', id, spoiled: true })
  } catch (error) {
    post({ t: 'failed', message: toThrownRecord(error).message })
  }
}

async function perform(toolbox: Toolbox, request: RealmRequest): Promise<string> {
  const tool = toolbox.find(request.tool)
  if (tool === undefined)
    return '{"kind":"threw","thrown":{"name":"Error","message":"no such tool"}}'
  if (request.op === 'project') {
    enterPhase(request.kind)
    return invokeProjection(tool, request.kind, request.input, request.limits)
  }
  const controller = new AbortController()
  const { signal } = controller
  link.open(request.limits, { signal, abort: (reason) => controller.abort(reason) })
  const exec = createExec(request, signal, link, printer)
  post({ t: 'event', id: callId }, '{"k":"started"}')
  return invokeBody(tool, freezeDeep(request.args), exec, {
    wantsMeta: request.wantsMeta,
    limits: request.limits,
    refusalOf(thrown) {
      if (thrown instanceof RangeError && MEMORY.test(toThrownRecord(thrown).message)) {
        post({ t: 'memory' })
      }
      return link.refusalOf(thrown)
    },
    onPhase: enterPhase,
  })
}

function enterPhase(phase: ProjectionKind): void {
  post({ t: 'event', id: callId }, `{"k":"phase","phase":"${phase}"}`)
}

function requireSchemastery(): unknown {
  return require('@deepseek-ai/schemastery') as unknown
}

function toolsOf(toolbox: Promise<Toolbox> | undefined): Promise<Toolbox> {
  return toolbox ?? Promise.reject(new Error('no source is open'))
}
