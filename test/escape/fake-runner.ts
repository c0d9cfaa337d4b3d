import { onTestFinished } from 'vitest'
import { createIsolateEngine, type IsolateEngine } from '../../src/engine/isolate/engine.ts'
import { parseProfile } from '../../src/sandbox/load-profiles.ts'
import type { BodyJob, BodyOutcome, CallServices, ToolBody } from '../../src/types/engine.ts'
import type { LoadedSource } from '../../src/types/source.ts'

/** What a job's body said to the host. */
export interface Heard {
  readonly said: string[]
  readonly outcome: BodyOutcome
  readonly ms: number
}

export interface FakeEngine {
  readonly engine: IsolateEngine
  load(): Promise<LoadedSource>
  /** Runs one body; `signal` stops it after a grace of 50 ms. */
  run(body: ToolBody, signal?: AbortSignal): Promise<Heard>
}

export interface FakeOptions {
  /** What the runner does at its start. Default: it says that it is ready. */
  readonly boot?: string
  readonly loadTimeoutMs?: number
  readonly limits?: object
  /** Further keys of the profile. */
  readonly profile?: object
  /** Arguments of every call. */
  readonly args?: object
}

// Speaks the protocol as a healthy runner would, up to the call, which the script answers.
const HEALTHY = `
  const session = process.argv.at(-1)
  const raw = (bytes) => require('node:fs').writeSync(1, bytes)
  const frame = (content) => {
    const bytes = Buffer.from(content)
    const head = Buffer.alloc(4)
    head.writeUInt32BE(bytes.length)
    raw(Buffer.concat([head, bytes]))
  }
  const say = (message, body) =>
    frame(JSON.stringify({ ...message, s: session }) + (body === undefined ? '' : '\\n' + JSON.stringify(body)))
  const event = (id, body) => say({ t: 'event', id }, body)
  const value = (id, value) => event(id, { k: 'settle', outcome: { kind: 'returned', value } })
  const rest = (id) => { say({ t: 'quiet', id, spoiled: false }); say({ t: 'rested' }) }
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  let pending = Buffer.alloc(0)
  process.stdin.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
      const end = 4 + pending.readUInt32BE(0)
      const message = JSON.parse(pending.subarray(4, end))
      pending = pending.subarray(end)
      if (message.t === 'open') say({ t: 'rested' })
      else if (message.t === 'describe') say({ t: 'described' }, { k: 'loaded', format: 'definition', tools: [] })
      else if (message.t === 'call') called(message.id, message.request)
    }
  })
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL'))
`

/** An engine whose runner is `script`: it defines `called(id, request)` and has the helpers above. */
export function createFakeEngine(script: string, options: FakeOptions = {}): FakeEngine {
  const boot = options.boot ?? "say({ t: 'ready' })"
  return createEngine({ runner: `${HEALTHY}\n${script}\n;${boot}`, realm: '' }, options)
}

/** The same with any runner. */
export function createEngine(
  assets: { readonly runner: string; readonly realm: string },
  options: FakeOptions & { readonly code?: string } = {},
): FakeEngine {
  const engine = createIsolateEngine({
    assets: async () => assets,
    frozenRealm: async () => '',
    maxRunners: 1,
    spares: 0,
    callsPerRunner: 5_000,
    loadTimeoutMs: options.loadTimeoutMs ?? 5_000,
    defaultMemoryMb: 64,
    hostPath: process.env['PATH'] ?? '',
    diagnose: () => undefined,
  })
  onTestFinished(() => engine.close())
  const profile = parseProfile(
    { name: 'fake', engine: 'isolate', limits: options.limits ?? {}, ...options.profile },
    'the test',
  )
  const source = { source: 'fake', root: '/', entry: '/fake.js', code: options.code ?? '' }
  return {
    engine,
    load: () => engine.load(source, profile),
    run: (body, signal) => runJob(body, options.args ?? {}, signal ?? new AbortController().signal),
  }
}

async function runJob(body: ToolBody, args: object, signal: AbortSignal): Promise<Heard> {
  const said: string[] = []
  const services: CallServices = {
    bodyStarted: () => void said.push('started'),
    deferContext: (message) => void said.push(`context ${JSON.stringify(message)}`),
    concludeTurn: () => void said.push('conclude'),
    log: (level, text) => void said.push(`${level} ${text}`),
    logDropped: (entries) => void said.push(`dropped ${entries}`),
    progress: (update) => void said.push(`progress ${update.progress}`),
    lendSecrets: () => undefined,
    async request(capability) {
      said.push(`request ${capability}`)
      return 'granted'
    },
    tunnel: () => Promise.reject(new Error('no connection is made')),
  }
  const exec = {
    callId: 'c',
    rootCallId: 'c',
    name: 'fake',
    arguments: args,
    token: Symbol('c'),
    signal,
  } as unknown as BodyJob['exec']
  const begun = performance.now()
  const outcome = await body.run({
    exec,
    signal,
    visibleSignal: signal,
    graceMs: 50,
    wantsMeta: true,
    services,
  })
  return { said, outcome, ms: performance.now() - begun }
}
