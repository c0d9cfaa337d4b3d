import { toSource } from '../fixtures/bodies.ts'
import type { OpenContender } from '../measure/contender.ts'
import { loadPeer } from './load-peer.ts'

interface QuickJsHandle {
  dispose(): void
}

interface QuickJsContext extends QuickJsHandle {
  readonly undefined: QuickJsHandle
  evalCode(code: string): { readonly value: QuickJsHandle }
  newString(text: string): QuickJsHandle
  callFunction(
    fn: QuickJsHandle,
    self: QuickJsHandle,
    arg: QuickJsHandle,
  ): { readonly value: QuickJsHandle }
  getString(handle: QuickJsHandle): string
}

interface QuickJsRuntime extends QuickJsHandle {
  newContext(): QuickJsContext
  setMemoryLimit(bytes: number): void
}

interface QuickJsModule {
  getQuickJS(): Promise<{ newRuntime(): QuickJsRuntime }>
}

const MEMORY_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 1_000

/** quickjs-emscripten with a fresh runtime per call, in this thread. */
export const openQuickJs: OpenContender = async (body) => {
  const peer = loadPeer('quickjs-emscripten') as QuickJsModule | undefined
  if (peer === undefined) return undefined
  const quickjs = await peer.getQuickJS()
  const source = toSource(body)
  return {
    name: 'quickjs-emscripten',
    async call(value) {
      const runtime = quickjs.newRuntime()
      runtime.setMemoryLimit(MEMORY_BYTES)
      const context = runtime.newContext()
      const fn = context.evalCode(source).value
      const text = context.newString(JSON.stringify({ value }))
      const answer = context.callFunction(fn, context.undefined, text).value
      const result: unknown = JSON.parse(context.getString(answer))
      for (const owned of [answer, text, fn, context, runtime]) owned.dispose()
      return result
    },
    close: async () => undefined,
  }
}

interface Vm2Module {
  readonly VM: new (options: { timeout: number; sandbox: object }) => { run(code: string): unknown }
}

/** vm2 with a fresh VM per call, in this thread. */
export const openVm2: OpenContender = async (body) => {
  const peer = loadPeer('vm2') as Vm2Module | undefined
  if (peer === undefined) return undefined
  const code = `${toSource(body)}(text)`
  return {
    name: 'vm2',
    async call(value) {
      const vm = new peer.VM({ timeout: TIMEOUT_MS, sandbox: { text: JSON.stringify({ value }) } })
      return JSON.parse(String(vm.run(code))) as unknown
    },
    close: async () => undefined,
  }
}

interface MiniflareModule {
  readonly Miniflare: new (options: object) => {
    readonly ready: Promise<unknown>
    dispatchFetch(url: string, init: object): Promise<{ json(): Promise<unknown> }>
    dispose(): Promise<void>
  }
}

/** workerd through miniflare: a process of its own, asked over loopback; the isolate stays. */
export const openWorkerd: OpenContender = async (body) => {
  const peer = loadPeer('miniflare') as MiniflareModule | undefined
  if (peer === undefined) return undefined
  const flare = new peer.Miniflare({
    modules: true,
    cf: false,
    compatibilityDate: '2026-01-01',
    script: `const run = ${toSource(body)}
      export default { fetch: async (request) => new Response(run(await request.text())) }`,
  })
  await flare.ready
  return {
    name: 'workerd',
    async call(value) {
      const init = { method: 'POST', body: JSON.stringify({ value }) }
      return (await flare.dispatchFetch('http://workerd/', init)).json()
    },
    close: () => flare.dispose(),
  }
}
