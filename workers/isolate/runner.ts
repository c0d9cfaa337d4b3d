// A runner: one child process, one isolate and one live call, or several of both that share it. Everything
// it says is hostile to the host.
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createFrameReader, encodeFrame } from '../shared/frames.ts'
import { createFrozenContext, type FrozenContext } from './frozen-context.ts'
import { createFrozenStage } from './frozen-stage.ts'
import { createSharedStage, type SharedStage } from './shared-stage.ts'
import { createFreshStage } from './fresh-stage.ts'
import type { Stage, StageIo } from './stage-parts.ts'
import { createWarmIsolate, type WarmIsolate } from './warm-isolate.ts'
import type { RunnerOrder } from './protocol.ts'

const MAX_HOST_FRAME = 64 * 1024 * 1024
const UNPRIVILEGED_ID = 65_534
const STDOUT = 1
const PAUSE_MS = 1
const pause = new Int32Array(new SharedArrayBuffer(4))

start()

function start(): void {
  const [addonPath, session] = process.argv.slice(-2)
  if (addonPath === undefined || session === undefined) throw new Error('runner: two arguments')
  if (!process.execArgv.includes('--no-node-snapshot')) {
    writeSync(2, 'caisson-runner: started without --no-node-snapshot\n')
    process.exit(78)
  }
  const ivm = loadLibrary(addonPath)
  dropPrivileges()
  // What bubblewrap leaves of an environment.
  delete process.env['PWD']
  const ending = `,"s":${JSON.stringify(session)}}`
  let held: Buffer[] | undefined
  const post: StageIo['post'] = (message, raw = '') => {
    const head = `${JSON.stringify(message).slice(0, -1)}${ending}`
    const frame = encodeFrame(raw === '' ? head : `${head}\n${raw}`)
    if (held === undefined) writeAll(frame)
    else held.push(frame)
  }
  const together: StageIo['together'] = (work) => {
    held = []
    try {
      work()
    } finally {
      const frames = held
      held = undefined
      writeAll(Buffer.concat(frames))
    }
  }
  const seed = (): string => randomBytes(32).toString('hex')
  const shared: SharedStage[] = []
  let stage: Stage | undefined
  let realm = ''
  let warmed: WarmIsolate | undefined
  let frozen: FrozenContext | undefined
  const receive = (message: RunnerOrder): void => {
    if (message.t === 'warm') {
      realm = message.realm
      const { memoryMb } = message
      if (message.frozen && memoryMb !== undefined) {
        frozen = createFrozenContext(ivm, { realm, memoryMb, seed: seed() })
        return
      }
      if (memoryMb !== undefined) warmed = createWarmIsolate(ivm, { realm, memoryMb, seed: seed() })
      return
    }
    if (message.t === 'weigh') {
      return post({ t: 'spent', ms: shared.map((one) => one.spentMs()) })
    }
    if (message.t === 'drop') return shared[message.slot]?.drop()
    const { slot } = message
    if (message.t !== 'open') {
      const addressed = slot === undefined ? stage : shared[slot]
      return addressed?.receive(message)
    }
    const open = { ...message, realm: message.realm ?? realm }
    if (open.state === 'frozen') {
      const { memoryMb } = open
      const made = frozen ?? createFrozenContext(ivm, { realm: open.realm, memoryMb, seed: seed() })
      stage = createFrozenStage(made, open, { post, together, seed })
    } else if (slot === undefined) {
      const ready = message.realm === undefined ? warmed : warmed?.isolate.dispose()
      stage = createFreshStage(ivm, open, { post, together, seed, ...(ready && { warmed: ready }) })
    } else {
      const from: typeof post = (said, raw) => post({ ...said, slot }, raw)
      shared[slot] = createSharedStage(ivm, open, { post: from, together, seed, slot })
    }
  }
  const reader = createFrameReader(
    {
      frame: (text) => receive(JSON.parse(text) as RunnerOrder),
      oversized: die,
      malformed: die,
    },
    () => MAX_HOST_FRAME,
  )
  process.stdin.on('data', (chunk: Buffer) => reader.push(chunk))
  // The host is gone. A polite exit could wait for an isolate for ever.
  process.stdin.on('close', die)
  process.stdin.on('error', die)
  process.on('uncaughtException', die)
  process.on('unhandledRejection', () => undefined)
  post({ t: 'ready' })
}

// Where there are no other files than the addon itself, the package around it is not there either.
function loadLibrary(path: string): typeof import('isolated-vm') {
  const loaded: unknown = createRequire(path)(path)
  const ivm: unknown = path.endsWith('.node') ? Reflect.get(Object(loaded), 'ivm') : loaded
  return ivm as typeof import('isolated-vm')
}

// At once and whole, also while tool code keeps this thread: what a stream holds back would be lost
// with the process. A host that does not read makes the runner wait.
function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(STDOUT, bytes, at)
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'EAGAIN') die()
      Atomics.wait(pause, 0, 0, PAUSE_MS)
    }
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

function dropPrivileges(): void {
  if (process.getuid?.() !== 0) return
  process.setgroups?.([])
  process.setgid?.(UNPRIVILEGED_ID)
  process.setuid?.(UNPRIVILEGED_ID)
}
