import { lstat, mkdir, rmdir, unlink, writeFile } from 'node:fs/promises'
import type { Bind } from './bwrap-args.ts'
import { COVERED_FILES, COVERED_FOLDERS } from './covered-names.ts'
import { openPlace, type OpenPlace } from './file-identity.ts'

/**
 * Empty things of the host that stand for names which programs must not make: a mount needs something
 * to lie on. They are there for as long as somebody holds them.
 */
export interface Placeholders {
  /** Makes what is missing at the top of writable folders. Resolves to what takes it away again. */
  hold(binds: readonly Bind[]): Promise<() => Promise<void>>
}

interface Holder {
  count: number
  /** Whether it was made here, rather than found. */
  made: Promise<boolean>
}

interface Stand {
  /** The folder and the name, whatever the folder is called. */
  readonly key: string
  make(): Promise<unknown>
  remove(): Promise<void>
}

/** Creates the register of one host; what another host's sandbox left behind is taken as given. */
export function createPlaceholders(): Placeholders {
  const held = new Map<string, Holder>()
  const grab = async (stand: Stand): Promise<void> => {
    const holder = held.get(stand.key) ?? { count: 0, made: Promise.resolve(false) }
    held.set(stand.key, holder)
    holder.count += 1
    if (holder.count === 1) holder.made = holder.made.then(() => succeeds(stand.make()))
    await holder.made
  }
  const drop = async (stand: Stand): Promise<void> => {
    const holder = held.get(stand.key)
    if (holder === undefined) return
    holder.count -= 1
    if (holder.count > 0) return
    // Whoever grabs it from now on waits for its end, and makes it anew.
    holder.made = holder.made.then(async (made) => made && !(await succeeds(stand.remove())))
    await holder.made
    if (holder.count === 0) held.delete(stand.key)
  }
  return {
    async hold(binds) {
      const writable = binds.filter((bind) => bind.writable)
      const places = await Promise.all(writable.map(({ from }) => openPlace(from)))
      const open = places.filter((place) => place !== undefined)
      const stands = open.flatMap(standsIn)
      await Promise.all(stands.map(grab))
      return async () => {
        await Promise.all(stands.map(drop))
        await Promise.all(open.map((place) => place.close()))
      }
    },
  }
}

// The folder may be moved away, and a link put where it was: names are looked up in the folder itself.
function standsIn({ identity: { dev, ino }, at }: OpenPlace): Stand[] {
  const keyOf = (name: string): string => `${dev}:${ino}/${name}`
  return [
    ...COVERED_FOLDERS.map((name) => ({
      key: keyOf(name),
      make: () => mkdir(at(name), { mode: 0o700 }),
      remove: () => rmdir(at(name)),
    })),
    ...COVERED_FILES.map((name) => ({
      key: keyOf(name),
      make: () => writeFile(at(name), '', { flag: 'wx', mode: 0o400 }),
      remove: () => removeEmpty(at(name)),
    })),
  ]
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false // It is there already, or is not empty, or nobody can make anything there.
  }
}

async function removeEmpty(path: string): Promise<void> {
  const stats = await lstat(path)
  if (stats.isFile() && stats.size === 0) await unlink(path)
}
