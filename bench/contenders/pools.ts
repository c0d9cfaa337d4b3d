import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Contender, OpenContender } from '../measure/contender.ts'
import { loadPeer } from './load-peer.ts'

const WORKER = fileURLToPath(new URL('../fixtures/pool-worker.ts', import.meta.url))

/** A bare Piscina as it comes, which every ratio is against. */
export const openPiscina: OpenContender = async (body) => {
  const pool = new Piscina({ filename: WORKER })
  return {
    name: 'piscina',
    call: (value) => pool.run({ value }, { name: body }),
    close: () => pool.destroy(),
  }
}

interface TinypoolModule {
  readonly Tinypool: new (options: { filename: string }) => {
    run(task: unknown, options: { name: string }): Promise<unknown>
    destroy(): Promise<void>
  }
}

/** tinypool as it comes. */
export const openTinypool: OpenContender = async (body) => {
  const peer = loadPeer('tinypool') as TinypoolModule | undefined
  if (peer === undefined) return undefined
  const pool = new peer.Tinypool({ filename: WORKER })
  return {
    name: 'tinypool',
    call: (value) => pool.run({ value }, { name: body }),
    close: () => pool.destroy(),
  }
}

interface WorkerpoolModule {
  pool(
    script: string,
    options: { workerType: 'thread' },
  ): {
    exec(name: string, args: unknown[]): PromiseLike<unknown>
    terminate(force: boolean): PromiseLike<unknown>
  }
}

/** workerpool with threads. */
export const openWorkerpool: OpenContender = async (body): Promise<Contender | undefined> => {
  const peer = loadPeer('workerpool') as WorkerpoolModule | undefined
  if (peer === undefined) return undefined
  const script = fileURLToPath(new URL('../fixtures/workerpool-worker.mjs', import.meta.url))
  const pool = peer.pool(script, { workerType: 'thread' })
  return {
    name: 'workerpool',
    call: async (value) => pool.exec(body, [{ value }]),
    async close() {
      await pool.terminate(true)
    },
  }
}
