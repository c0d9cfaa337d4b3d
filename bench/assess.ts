// What judging a call costs: guards, assessment, categories, lists and rules, beside parsing the line alone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parse } from 'unbash'
import { createToolHost } from '../src/index.ts'
import { printHeading } from './measure/machine.ts'
import { printTable } from './measure/print-table.ts'
import { toFigure, toRatio } from './measure/stats.ts'

const WARMUP = 1_000
const ROUNDS = 4_000
const LINES = {
  short: 'git status',
  usual: 'npm test && npm run build > log.txt 2>&1',
  pipeline: 'rg -n "TODO" src | sort | uniq -c | sort -rn | head -20',
  loop: 'for f in src/*.ts; do wc -l "$f"; done; cd docs && ls -la',
  evasive: 'x=$(printf "%s" su do); X=sudo; $X ls; bash -c "rm -rf /tmp/x"; cat "${F:-.env}"',
  'just under 1 KB': `echo ${'word '.repeat(180)} > out.txt`,
}

const workspace = mkdtempSync(join(tmpdir(), 'caisson-bench-assess-'))
const stateDir = join(workspace, '.state')
const host = createToolHost({ workspace, stateDir, approval: true })
const rows: string[][] = []
for (const [name, command] of Object.entries(LINES)) {
  const judged: number[] = []
  const parsed: number[] = []
  for (let round = -WARMUP; round < ROUNDS; round += 1) {
    const bareUs = time(() => parse(command))
    const us = time(() => host.approval.explain({ name: 'bash', arguments: { command } }))
    // Each call of a host comes in a turn of its own, and what it left is let go of by then.
    await setImmediate()
    if (round < 0) continue
    parsed.push(bareUs)
    judged.push(us)
  }
  const [half, high] = [percentile(judged, 0.5), percentile(judged, 0.99)]
  const bare = percentile(parsed, 0.5)
  rows.push([name, toFigure(half), toFigure(high), toFigure(bare), toRatio(half, bare)])
}
await host.close()
rmSync(workspace, { recursive: true, force: true })

printHeading('Assessment: µs to judge a shell line, without any model')
printTable(['line', 'p50', 'p99', 'parsing alone', 'of parsing'], rows)

function time(work: () => unknown): number {
  const begun = performance.now()
  work()
  return (performance.now() - begun) * 1_000
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
