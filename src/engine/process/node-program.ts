import type { CallServices } from '../../types/engine.ts'
import type { HostMessage } from '../../../workers/isolate/protocol.ts'
import { PROGRAM_SESSION, type ProgramOpen } from '../../../workers/process/protocol.ts'
import { encodeFrame } from '../../../workers/shared/frames.ts'
import { createLastWords } from '../isolate/last-words.ts'
import { createMessageParser } from '../isolate/parse-message.ts'
import { createRunnerChannel } from '../isolate/runner-channel.ts'
import type { RunnerListener, RunnerProcess } from '../isolate/runner-process.ts'
import type { EngineDeath } from '../shared/conversation.ts'
import { createLineLog, type LineLog } from './line-log.ts'
import type { Sandbox } from './sandbox.ts'

/** A Node program with our shim in it: to its host it is a runner for one request. */
export interface NodeProgram extends RunnerProcess {
  /** What it prints around its `console` becomes entries of this call's log. */
  printTo(services: CallServices, logBytes: number): void
  /** Its body runs: only now is anything let out, and for this call. */
  letOut(services: CallServices): void
}

/** What V8 and the allocator die of when memory is refused to them. */
const ABORTS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS'])

/** A program serves one request and ends. */
const ONLY_REQUEST = '1'

/** Speaks with the program in a sandbox that was opened with a channel; `source` is sent at once. */
export function createNodeProgram(sandbox: Sandbox, source: ProgramOpen): NodeProgram {
  const { channel, stdout, stderr, pid } = sandbox.process
  if (channel === undefined) throw new Error('the sandbox was opened without a channel')
  let listener: RunnerListener | undefined
  let death: EngineDeath | undefined
  let logs: readonly LineLog[] = []
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // Whoever waits for it is told.
  const kill: NodeProgram['kill'] = (cause, detail) => {
    frames.stop()
    sandbox.kill(cause, detail)
  }
  const parse = createMessageParser(PROGRAM_SESSION)
  const receive = (text: string): void => {
    const message = parse(text)
    if (message === undefined) return kill('protocol', 'a frame of the wrong shape')
    if (message.t === 'ready') return ready.resolve()
    if (message.t === 'memory') return kill('memory', 'memory was refused to it')
    if (listener === undefined) return kill('protocol', 'a message that fits no live call')
    listener.heard(message)
  }
  const frames = createRunnerChannel(channel, { text: receive, broken: kill })
  const words = createLastWords(stderr, () => undefined)
  stdout.on('data', (chunk: Buffer) => logs[0]?.write(chunk))
  stderr.on('data', (chunk: Buffer) => logs[1]?.write(chunk))
  const send = (message: HostMessage | ProgramOpen, sent?: () => void): void => {
    if (death === undefined) channel.write(encodeFrame(JSON.stringify(message)), sent)
    else sent?.()
  }
  const dead = sandbox.dead.then((seen) => {
    const aborted = seen.cause === 'exit' && ABORTS.has(seen.signal ?? '')
    death = { ...seen, ...(aborted ? words.classify() : undefined) }
    frames.stop()
    for (const log of logs) log.end()
    ready.reject(new Error(`the program ended before it was ready: ${death.cause}`))
    listener?.died(death)
    return death
  })
  send(source)
  return {
    pid,
    ready: ready.promise,
    dead,
    get isDead() {
      return sandbox.isDead
    },
    residentBytes: () => 0,
    send,
    begin(given, limits) {
      listener = given
      if (death !== undefined) given.died(death)
      else {
        frames.limitFrames(limits.frameBytes)
        sandbox.limitCpu(limits.cpuMs)
      }
      return ONLY_REQUEST
    },
    finish() {
      listener = undefined
    },
    letOut: (services) => sandbox.wayOut?.open(services),
    printTo(services, logBytes) {
      logs = [createLineLog('info', logBytes, services), createLineLog('error', logBytes, services)]
    },
    kill,
  }
}
