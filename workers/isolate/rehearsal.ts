import { defineCompiled } from '../../src/registry/define-tool.ts'
import { DEFAULT_JSON_LIMITS } from '../../src/json/limits.ts'
import type { Realm } from '../realm/globals.ts'
import { freezeJson } from '../shared/freeze-json.ts'
import { enterBody } from '../shared/invoke.ts'
import type { FoundTool } from '../shared/toolbox.ts'
import { createCallLink } from './call-link.ts'
import { createExec, type Printer } from './exec.ts'
import type { RealmRequest } from './protocol.ts'

const BYTES = 65_536
const REQUEST: RealmRequest & { op: 'execute' } = {
  op: 'execute',
  tool: 'rehearsal',
  args: { text: 'rehearsal' },
  exec: { callId: '', rootCallId: '', name: 'rehearsal' },
  wantsMeta: true,
  limits: {
    ...DEFAULT_JSON_LIMITS,
    outputBytes: BYTES,
    logBytes: BYTES,
    requestBytes: BYTES,
    messages: 1,
  },
}
const TEXT = { type: 'string' }

/**
 * Calls a tool of our own the way any tool is called, before there is any: what a context does for the
 * first time takes several times as long, and so it is done before somebody waits for it. Nothing of it
 * stays, and nobody hears of it.
 */
export function rehearse(realm: Pick<Realm, 'createSignal'>, printer: Printer): void {
  const link = createCallLink(() => undefined)
  const signal = realm.createSignal()
  link.open(REQUEST.limits, signal)
  const tool = defineCompiled(
    {
      name: REQUEST.tool,
      description: '',
      output: { render: () => [{ type: 'text', text: '' }] },
      execute: async ({ text }: { text: string }) => text,
    },
    {
      parameters: { type: 'object', properties: { text: TEXT }, required: ['text'] },
      schema: TEXT,
    },
  ) as FoundTool
  const exec = createExec(REQUEST, signal.signal, link, printer)
  const { wantsMeta, limits } = REQUEST
  const options = { wantsMeta, limits, refusalOf: link.refusalOf, onPhase: () => undefined }
  enterBody({ tool, args: freezeJson(REQUEST.args), exec }, options, link.close)
}
