import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createInlineBody } from '../../src/engine/inline/engine.ts'
import { readDefinition } from '../../src/registry/read-definition.ts'
import type { Execution } from '../../src/types/call.ts'
import type { BodyJob, CallServices } from '../../src/types/engine.ts'
import type { ToolDefinition } from '../../src/types/tool.ts'
import { makeTool } from '../helpers/make-call.ts'
import { forever, sleep, timed } from '../helpers/timing.ts'

/** One job for an inline body, and what the body asked for. */
function makeJob(signal: AbortSignal, graceMs = 20) {
  const asked: string[] = []
  const note = (name: string) => (): void => void asked.push(name)
  const services: CallServices = {
    bodyStarted: note('started'),
    deferContext: note('context'),
    concludeTurn: note('conclude'),
    log: note('log'),
    logDropped: note('dropped'),
    progress: note('progress'),
    lendSecrets: note('secrets'),
    request: () => Promise.reject(new Error('inline bodies ask for no capability')),
    tunnel: () => Promise.reject(new Error('inline bodies ask for no connection')),
  }
  const exec: Execution = {
    callId: 'c',
    rootCallId: 'c',
    name: 't',
    arguments: { n: 1 },
    token: Symbol('c'),
    signal,
  }
  const job: BodyJob = {
    exec,
    signal,
    visibleSignal: signal,
    graceMs,
    wantsMeta: true,
    services,
  }
  return { job, asked }
}

function makeBody(extra: Partial<ToolDefinition>) {
  const diagnostics: string[] = []
  const { functions } = readDefinition(makeTool('t', extra))
  const body = createInlineBody('t', functions, (line) => void diagnostics.push(line))
  return { body, diagnostics }
}

test('a body that settles leaves no listener on its signal and no timer', async () => {
  const { body } = makeBody({ execute: () => sleep(1).then(() => 5) })
  const { signal } = new AbortController()
  const { job, asked } = makeJob(signal)
  expect(await body.run(job)).toMatchObject({ kind: 'returned', value: 5, prepareMs: 0 })
  expect(asked).toEqual(['started'])
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a body that settles within the grace gives its own outcome and no diagnostic', async () => {
  const caller = new AbortController()
  const { body, diagnostics } = makeBody({ execute: () => sleep(20).then(() => 'cooperative') })
  const pending = body.run(makeJob(caller.signal, 500).job)
  caller.abort()
  expect(await pending).toMatchObject({ kind: 'returned', value: 'cooperative' })
  expect(diagnostics).toEqual([])
})

test.each(['before it began', 'by the body itself', 'while it runs'])(
  'an aborted body that hangs is given up after one grace, aborted %s',
  async (when) => {
    const caller = new AbortController()
    const { body, diagnostics } = makeBody({
      execute() {
        if (when === 'by the body itself') caller.abort()
        return forever()
      },
    })
    if (when === 'before it began') caller.abort()
    if (when === 'while it runs') setTimeout(() => caller.abort(), 5)
    const { value, ms } = await timed(() => body.run(makeJob(caller.signal).job))
    expect(value).toMatchObject({ kind: 'stopped', started: true })
    expect(ms).toBeGreaterThanOrEqual(19)
    expect(diagnostics).toEqual([expect.stringContaining("'t' is still running")])
  },
)

test('a body that throws after it was given up disturbs nobody', async () => {
  const caller = new AbortController()
  const { body } = makeBody({
    async execute() {
      await sleep(40)
      throw new Error('too late to matter')
    },
  })
  const pending = body.run(makeJob(caller.signal, 5).job)
  caller.abort()
  expect(await pending).toMatchObject({ kind: 'stopped' })
  await sleep(60)
})

test('what a settled body asks for does not reach the host', async () => {
  const { job, asked } = makeJob(new AbortController().signal)
  let talk: () => void = () => undefined
  const { body } = makeBody({
    execute(_args, exec) {
      exec.log('during')
      talk = () => {
        exec.log('after')
        exec.progress({ progress: 1 })
        exec.concludeTurn()
        exec.deferContext('after')
      }
      return 1
    },
  })
  await body.run(job)
  expect(talk).toThrow(expect.objectContaining({ code: 'PROTOCOL_ERROR' }) as Error)
  expect(asked).toEqual(['started', 'log'])
})

test('project() runs a function with its owner, contains its throw and refuses promises', async () => {
  const { body } = makeBody({
    isConcurrencySafe(this: ToolDefinition) {
      return this.name === 't'
    },
    presentCall() {
      throw new Error('no card')
    },
    presentResult: () => Promise.reject(new Error('async')) as never,
    finalizeContent: () => undefined,
  })
  const input = [{}]
  const of = (kind: 'isConcurrencySafe' | 'presentCall' | 'presentResult' | 'finalizeContent') =>
    body.project({ kind, input })
  expect(await of('isConcurrencySafe')).toEqual({ kind: 'returned', value: true })
  expect(await of('presentCall')).toEqual({ kind: 'failed', message: 'no card' })
  expect(await of('presentResult')).toMatchObject({ kind: 'failed' })
  expect(await of('finalizeContent')).toEqual({ kind: 'returned' })
  expect(await body.project({ kind: 'presentationMeta', input })).toEqual({ kind: 'returned' })
})
