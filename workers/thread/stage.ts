import { getHeapStatistics } from 'node:v8'
import type { MessagePort } from 'node:worker_threads'
import { freezeDeep } from '../../src/json/freeze.ts'
import { createCallLink } from '../isolate/call-link.ts'
import { createExec, type Printer } from '../isolate/exec.ts'
import type { RealmRequest } from '../isolate/protocol.ts'
import { invokeBody, invokeProjection } from '../shared/invoke.ts'
import { toThrownRecord } from '../shared/thrown.ts'
import type { Toolbox } from '../shared/toolbox.ts'
import {
  awaitHearing,
  enterStage,
  leaveStage,
  noteRest,
  noteStarted,
  noteTook,
  takeOffer,
  type Board,
} from './board.ts'
import { createCallScope, type CallScope, type ScopedCall } from './call-scope.ts'
import { now } from './clock.ts'
import { installConsole } from './console.ts'
import { loadBundle } from './load-bundle.ts'
import { createLookout, type Lookout } from './lookout.ts'
import { leaveMail, openMailbox, takeMail, viewMailbox, type Mailbox } from './mailbox.ts'
import type { CallOrder, OpenTask, ThreadBoot, ThreadOrder } from './protocol.ts'
import { createRest, type Rest } from './rest.ts'

/** The tasks of a worker. Calls come through the port that it is opened with. */
export interface ThreadStage {
  boot(): number
  /** Answers with what the source says of itself, as JSON text. */
  open(task: OpenTask): Promise<string>
}

interface Opened {
  readonly toolbox: Toolbox
  readonly port: MessagePort
  readonly board: Board
  readonly scope: CallScope
  readonly printer: Printer
  readonly rest: Rest
  readonly orders: Mailbox
  readonly answers: Mailbox
  readonly lookout: Lookout | undefined
}

const { parse, stringify } = JSON

/** Creates the one stage of a worker. Module state of its source persists between calls. */
export function createThreadStage(): ThreadStage {
  let opened: Opened | undefined
  let live: ScopedCall | undefined
  let sent = 0
  /** Calls that wait for the one before to come to rest. */
  let arriving = 0
  /** Whether the loop's first turn after the last call found nothing open; absent once it is at rest. */
  let turned: Promise<boolean> | undefined

  const obey = (text: string | undefined, on: Opened): void => {
    if (text === undefined) return
    const order = parse(text) as ThreadOrder
    if (order.t === 'call') return void serve(order, on)
    if (live?.id !== order.id) return
    const { link } = live
    on.scope.run(live, () => {
      if (order.t === 'abort') link.abort(order.reason)
      else link.answer(order.n, order.answer)
    })
  }
  const serve = async ({ id, request }: CallOrder, on: Opened): Promise<void> => {
    const { port, board, scope } = on
    on.lookout?.arrived()
    arriving += 1
    // The host need not know yet that the call before is over: whoever calls again at once would
    // wait for a message more.
    const isFree = turned === undefined || ((await turned) && !scope.spoiled)
    arriving -= 1
    if (!isFree || !takeOffer(board, Number(id))) {
      return port.postMessage(`{"t":"declined","id":"${id}"}`)
    }
    openMailbox(on.orders)
    const saidBefore = sent
    const begun = now()
    const send = (event: string): void => {
      port.postMessage(`{"t":"event","id":"${id}","body":${event}}`)
      sent += 1
      awaitHearing(board, sent)
    }
    const call: ScopedCall = { id, label: labelOf(request), link: createCallLink(send) }
    live = call
    const outcome = await scope.run(call, () => perform(on, call, request))
    call.link.close()
    live = undefined
    // The answer goes out first: the caller does not wait for what its call leaves behind.
    const answer = `{"t":"settle","id":"${id}","outcome":${outcome}}`
    noteTook(board, now() - begun)
    // What was said by the port is heard first.
    if (sent !== saidBefore || !leaveMail(on.answers, answer)) port.postMessage(answer)
    await comeToRest(on)
  }
  const comeToRest = async (on: Opened): Promise<void> => {
    const { rest, scope, board, orders } = on
    turned = rest.turned()
    const isQuiet = await turned
    // Whoever calls now does not wait for what may never come to rest.
    if (!isQuiet) obey(takeMail(orders), on)
    const isFit = (isQuiet || (await rest.reached())) && !scope.spoiled
    if (isFit) turned = undefined
    noteRest(board, isFit)
    if (isQuiet) obey(findNext(on), on)
  }
  /** What was left; waits for it where nothing else does. */
  const findNext = ({ orders, lookout }: Opened): string | undefined =>
    arriving > 0 || lookout === undefined
      ? takeMail(orders)
      : lookout.while((until) => takeMail(orders, until))
  return {
    boot: () => getHeapStatistics().heap_size_limit,
    async open({ text, port, lookout: task, ...memory }) {
      const boot = parse(text) as ThreadBoot
      Object.assign(process.env, boot.env)
      const scope = createCallScope(port)
      const printer = installConsole(scope.log)
      port.on('message', (order: string) => opened && obey(order, opened))
      try {
        const toolbox = await scope.loading(loadBundle(boot))
        const rest = await createRest()
        const tools = stringify(toolbox.describe())
        const board = new Int32Array(memory.board)
        const orders = viewMailbox(memory.orders)
        const answers = viewMailbox(memory.answers)
        const lookout = task && createLookout(new Int32Array(task.post), task.number)
        opened = { toolbox, port, board, scope, printer, rest, orders, answers, lookout }
        return `{"k":"loaded","format":${stringify(toolbox.format())},"tools":${tools}}`
      } catch (error) {
        return `{"k":"loadFailed","error":${stringify(toThrownRecord(error))}}`
      }
    },
  }
}

async function perform(on: Opened, { link }: ScopedCall, request: RealmRequest): Promise<string> {
  const tool = on.toolbox.find(request.tool)
  if (tool === undefined)
    return '{"kind":"threw","thrown":{"name":"Error","message":"no such tool"}}'
  if (request.op === 'project') {
    return invokeProjection(tool, request.kind, request.input, request.limits)
  }
  const controller = new AbortController()
  const { signal } = controller
  link.open(request.limits, { signal, abort: (reason) => controller.abort(reason) })
  const exec = createExec(request, signal, link, on.printer)
  noteStarted(on.board)
  const outcome = await invokeBody(tool, freezeDeep(request.args), exec, {
    wantsMeta: request.wantsMeta,
    limits: request.limits,
    refusalOf: link.refusalOf,
    onPhase: (stage) => enterStage(on.board, stage),
  })
  leaveStage(on.board)
  return outcome
}

function labelOf(request: RealmRequest): string {
  const where = request.op === 'project' ? request.kind : `call '${request.exec.callId}'`
  return `tool '${request.tool}', ${where}`
}
