import type IsolatedVm from 'isolated-vm'
import { bootRealm, createIsolate } from './stage-parts.ts'

/** What a runner has ready before it knows what it will run. */
export interface WarmIsolate {
  readonly isolate: IsolatedVm.Isolate
  readonly realmScript: IsolatedVm.Script
  readonly memoryMb: number
}

export interface WarmSpec {
  readonly realm: string
  readonly memoryMb: number
  /** Hex, of 32 random bytes. */
  readonly seed: string
}

// What nearly every source does: the engine compiles a function when it is first entered.
const SAMPLE = `__caisson_define((require, module) => {
  const { defineTool } = require('caisson')
  module.exports = defineTool({
    name: 'sample',
    description: 'sample',
    parameters: { text: { type: 'string', required: true } },
    output: { schema: { type: 'string' }, render: (_, text) => [{ type: 'text', text }] },
    execute: async ({ text }) => text,
  })
});0`
const LIMIT = 65_536
const REQUEST = {
  op: 'execute',
  tool: 'sample',
  args: { text: 'sample' },
  exec: { callId: '', rootCallId: '', name: 'sample' },
  wantsMeta: false,
  limits: {
    depth: 16,
    nodes: 1_000,
    bytes: LIMIT,
    outputBytes: LIMIT,
    logBytes: LIMIT,
    requestBytes: LIMIT,
    messages: 1,
  },
}

/**
 * Compiles the realm in a new isolate and runs a call of our own in a context that is then dropped,
 * so that the first context of a source is made in the time of any other.
 */
export function createWarmIsolate(ivm: typeof IsolatedVm, spec: WarmSpec): WarmIsolate {
  const { realm, memoryMb, seed } = spec
  const isolate = createIsolate(ivm, memoryMb)
  const realmScript = isolate.compileScriptSync(realm, { filename: 'tool:realm' })
  const context = isolate.createContextSync()
  const send = new ivm.Callback(() => undefined)
  const boot = { source: 'sample', env: {}, seed }
  const dispatch = bootRealm(context, realmScript, { send, boot })
  isolate.compileScriptSync(SAMPLE).runSync(context)
  for (const command of [{ op: 'load' }, { op: 'advance' }, REQUEST]) {
    dispatch.applySync(undefined, [JSON.stringify(command)])
  }
  dispatch.release()
  context.release()
  return { isolate, realmScript, memoryMb }
}
