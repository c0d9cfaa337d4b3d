import type { OpenContender } from '../measure/contender.ts'
import { openRawWorker, openVmWorker } from './bare-workers.ts'
import { openOriginal } from './original.ts'
import { openPiscina, openTinypool, openWorkerpool } from './pools.ts'
import { openQuickJs, openVm2, openWorkerd } from './sandboxes.ts'

/** Piscina and everybody else, in the order of every table. */
export const PEERS: readonly OpenContender[] = [
  openPiscina,
  openRawWorker,
  openTinypool,
  openWorkerpool,
  openQuickJs,
  openVm2,
  openVmWorker,
  openWorkerd,
  openOriginal,
]

/** Peers that give every call a global of its own, and the one that people take for that. */
export const FRESH_PEERS: readonly OpenContender[] = [
  openQuickJs,
  openVm2,
  openVmWorker,
  openWorkerd,
]
