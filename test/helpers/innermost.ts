import { childrenOf } from '../../src/sandbox/process-tree.ts'

/** The process of a runner that is Node, whatever confines it. */
export function innermost(pid: number): number {
  for (let at = pid; ;) {
    const [child] = childrenOf(at)
    if (child === undefined) return at
    at = child
  }
}
