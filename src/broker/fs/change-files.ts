import { lstat, unlink } from 'node:fs/promises'
import type { FileTarget } from '../../types/events.ts'
import type { WriteIntent } from '../../types/file-gates.ts'
import { badRequest, tooLarge } from '../refusals.ts'
import { notFound } from './fs-refusals.ts'
import { checkLive, reach, type FsScene, type Reached } from './reach.ts'
import { toVersion } from './read-file.ts'
import { checkIntent, checkReplaceable, replaceFile } from './write-file.ts'

/** One file of a change. */
export interface FileChange {
  readonly path: string
  /** `write` may create; `edit` needs the file. */
  readonly gate: 'write' | 'edit'
  /** The content after the change from the one before, undefined for no file. May throw. */
  next(before: Buffer | undefined): Buffer | undefined
}

/** What became of one file. */
export interface ChangedFile {
  readonly target: FileTarget
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
}

/**
 * Changes files under the versions that their agent has seen: all of them, or, when one is refused or
 * fails, none. Throws `FS_*`, `OUTPUT_LIMIT`, `BAD_DECISION`, and what `next` throws.
 */
export function changeFiles(
  scene: FsScene,
  changes: readonly FileChange[],
): Promise<readonly ChangedFile[]> {
  return reachAll(scene, changes, [], async (all) => {
    const intents: (WriteIntent | undefined)[] = []
    for (const { reached, change } of all) intents.push(await askGate(scene, reached, change))
    const keys = all.map(({ reached }) => reached.target.targetKey)
    if (new Set(keys).size < keys.length) throw badRequest('fs', ['one file is changed twice'])
    const done = await scene.locks.hold(keys, async () => {
      const drafts: Draft[] = []
      for (const [index, item] of all.entries())
        drafts.push(await toDraft(scene, item, intents[index]))
      return await putAll(scene, drafts)
    })
    for (const { target, after } of done) {
      const seen =
        after === undefined
          ? ({ kind: 'absent' } as const)
          : ({ kind: 'present', version: toVersion(after) } as const)
      scene.gates.observed(target, seen, scene.context)
    }
    return done
  })
}

interface Item {
  readonly reached: Reached
  readonly change: FileChange
}

interface Draft extends ChangedFile {
  readonly reached: Reached
}

async function reachAll<T>(
  scene: FsScene,
  changes: readonly FileChange[],
  done: readonly Item[],
  work: (all: readonly Item[]) => Promise<T>,
): Promise<T> {
  const [change, ...rest] = changes
  if (change === undefined) return await work(done)
  return await reach(scene, change.path, { use: 'write', follow: true }, (reached) => {
    checkReplaceable(reached)
    return reachAll(scene, rest, [...done, { reached, change }], work)
  })
}

async function askGate(
  scene: FsScene,
  { target }: Reached,
  { gate }: FileChange,
): Promise<WriteIntent | undefined> {
  if (gate === 'write') return await scene.gates.writeIntent(target, scene.context)
  const intent = await scene.gates.editIntent(target, scene.context)
  return intent && { kind: 'replaceIfVersion', version: intent.version }
}

async function toDraft(
  scene: FsScene,
  { reached, change }: Item,
  intent: WriteIntent | undefined,
): Promise<Draft> {
  const { place, target } = reached
  const stats = await lstat(place.path).catch(() => undefined)
  const now = { ...reached, place: { ...place, stats } }
  checkReplaceable(now)
  const before = await checkIntent(scene, now, intent, true)
  if (change.gate === 'edit' && before === undefined) throw notFound(target.displayPath)
  const after = change.next(before)
  const { maxBytes } = scene.access
  if (after !== undefined && after.length > maxBytes)
    throw tooLarge('fs', `${target.displayPath} would have more than ${maxBytes} bytes`, maxBytes)
  return { reached: now, target, before, after }
}

async function putAll(scene: FsScene, drafts: readonly Draft[]): Promise<readonly ChangedFile[]> {
  const done: Draft[] = []
  try {
    for (const draft of drafts) {
      await put(scene, draft)
      done.push(draft)
    }
  } catch (error) {
    for (const draft of done.toReversed()) await takeBack(scene, draft)
    throw error
  }
  return drafts.map(({ target, before, after }) => ({ target, before, after }))
}

async function put(scene: FsScene, { reached, before, after }: Draft): Promise<void> {
  if (after !== undefined) {
    return replaceFile(scene, reached, {
      data: after,
      mode: undefined,
      isNew: before === undefined,
    })
  }
  await reached.place.checkFolder()
  checkLive(scene)
  if (before !== undefined) await unlink(reached.place.path)
}

async function takeBack(scene: FsScene, { reached, before, after }: Draft): Promise<void> {
  try {
    if (before === undefined) await unlink(reached.place.path)
    else
      await replaceFile(scene, reached, {
        data: before,
        mode: undefined,
        isNew: after === undefined,
      })
  } catch {
    // Somebody else has it by now, or the disk is full: what failed is told, and cannot be mended here.
  }
}
