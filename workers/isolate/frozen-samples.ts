import { createToolbox } from '../shared/toolbox.ts'
import type { FrozenRealm } from '../realm/frozen/install.ts'
import { createCallLink } from './call-link.ts'
import { createExec, type Printer } from './exec.ts'
import type { RealmRequest } from './protocol.ts'

const EXECUTE: RealmRequest & { op: 'execute' } = {
  op: 'execute',
  tool: 'sample',
  args: {},
  wantsMeta: false,
  exec: { callId: '', rootCallId: '', name: '', agent: { id: '', sessionId: '' } },
  limits: {
    depth: 1,
    nodes: 1,
    bytes: 1,
    outputBytes: 1,
    logBytes: 1,
    requestBytes: 1,
    kvBytes: 1,
    messages: 0,
  },
}

/** What a body is given, made anew. */
export function createExecSample(realm: FrozenRealm, printer: Printer): unknown {
  const link = createCallLink(() => undefined)
  return createExec(EXECUTE, realm.createSignal().signal, link, printer)
}

/** What two plugins are given; they have started once the microtasks of this turn have run. */
export function createPluginSamples(): unknown[][] {
  return [0, 1].map(() => {
    const given: unknown[] = []
    const apply = (ctx: Record<string, unknown>): void => {
      given.push(ctx, ctx['tools'], ctx['logger'], ctx['systemPrompt'])
    }
    void createToolbox({ exports: { name: 'sample', inject: ['tools'], apply } }, {})
    return given
  })
}
