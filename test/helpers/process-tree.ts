import { readdirSync, readFileSync } from 'node:fs'

/** Everything below a process, as far as it is still its descendant. */
export function descendantsOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = parentOf(name)
    if (parent !== undefined) parents.set(Number(name), parent)
  }
  const found: number[] = []
  const queue = [root]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const [pid, parent] of parents) {
      if (parent !== next) continue
      found.push(pid)
      queue.push(pid)
    }
  }
  return found
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export function isRunning(pid: number): boolean {
  const state = fieldsOf(`${pid}`)?.[0]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

function parentOf(name: string): number | undefined {
  const parent = /^\d+$/.test(name) ? fieldsOf(name)?.[1] : undefined
  return parent === undefined ? undefined : Number(parent)
}

// What follows the name of the program, which may hold anything.
function fieldsOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
