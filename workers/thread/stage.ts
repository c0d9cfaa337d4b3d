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
  takeOffer,
  type Board,
} from './board.ts'
import { createCallScope, type CallScope, type ScopedCall } from './call-scope.ts'
import { installConsole } from './console.ts'
import { loadBundle } from './load-bundle.ts'
import {
  DECLINED,
  type CallTask,
  type OpenTask,
  type ThreadBoot,
  type ThreadOrder,
} from './protocol.ts'
import { createRest, type Rest } from './rest.ts'

/** The tasks of a worker; JSON text in, JSON text out. */
export interface ThreadStage {
  boot(): number
  open(task: OpenTask): Promise<string>
  call(text: string): Promise<string>
}

interface Opened {
  readonly toolbox: Toolbox
  readonly port: MessagePort
  readonly board: Board
  readonly scope: CallScope
  readonly printer: Printer
  readonly rest: Rest
}

const { parse, stringify } = JSON

/** Creates the one stage of a worker. Module state of its source persists between calls. */
export function createThreadStage(): ThreadStage {
  let opened: Opened | undefined
  let live: ScopedCall | undefined
  let sent = 0
  /** Whether the loop's first turn after the last call found nothing open; absent once it is at rest. */
  let turned: Promise<boolean> | undefined

  const obey = (order: ThreadOrder, scope: CallScope): void => {
    if (live?.id !== order.id) return
    const { link } = live
    scope.run(live, () => {
      if (order.t === 'abort') link.abort(order.reason)
      else link.answer(order.n, order.answer)
    })
  }
  // The answer goes out first: the caller does not wait for what its call leaves behind.
  const comeToRest = async ({ rest, scope, board }: Opened): Promise<void> => {
    turned = rest.turned()
    const quiet = (await turned) || (await rest.reached())
    const fit = quiet && !scope.spoiled
    if (fit) turned = undefined
    noteRest(board, fit)
  }
  return {
    boot: () => getHeapStatistics().heap_size_limit,
    async open({ text, port, board }) {
      const boot = parse(text) as ThreadBoot
      Object.assign(process.env, boot.env)
      const scope = createCallScope(port)
      const printer = installConsole(scope.log)
      port.on('message', (order: string) => obey(parse(order) as ThreadOrder, scope))
      try {
        const toolbox = await scope.loading(loadBundle(boot))
        const rest = await createRest()
        const tools = stringify(toolbox.describe())
        opened = { toolbox, port, board: new Int32Array(board), scope, printer, rest }
        return `{"k":"loaded","format":${stringify(toolbox.format)},"tools":${tools}}`
      } catch (error) {
        return `{"k":"loadFailed","error":${stringify(toThrownRecord(error))}}`
      }
    },
    async call(text) {
      if (opened === undefined) throw new Error('no source is open')
      const on = opened
      const { id, request } = parse(text) as CallTask
      // The host need not know yet that the call before is over: whoever calls again at once would
      // wait for a message more.
      if (turned !== undefined && (!(await turned) || on.scope.spoiled)) return DECLINED
      if (!takeOffer(on.board, Number(id))) return DECLINED
      const send = (event: string): void => {
        on.port.postMessage(`{"t":"event","id":"${id}","body":${event}}`)
        sent += 1
        awaitHearing(on.board, sent)
      }
      const call: ScopedCall = { id, label: labelOf(request), link: createCallLink(send) }
      live = call
      const outcome = await on.scope.run(call, () => perform(on, call, request))
      call.link.close()
      live = undefined
      void comeToRest(on)
      return `{"k":"settle","outcome":${outcome}}`
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
