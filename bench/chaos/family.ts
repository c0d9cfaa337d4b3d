import { readdirSync, readFileSync } from 'node:fs'

/** Ids of all processes below this one; none where the system does not tell. */
export function listFamily(): number[] {
  if (process.platform !== 'linux') return []
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const family: number[] = []
  const below = [process.pid]
  for (let pid = below.pop(); pid !== undefined; pid = below.pop()) {
    const own = children.get(pid) ?? []
    family.push(...own)
    below.push(...own)
  }
  return family
}

/** CPU time so far of one process of the family, in milliseconds; 0 once it has ended. */
export function cpuMsOf(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    const times = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1'))
    return times.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0)
  } catch {
    return 0
  }
}

function parentOf(pid: string): number | undefined {
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined
    ? undefined
    : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined // It ended meanwhile.
  }
}
