// Every benchmark, one after another, each in a process of its own: npm run bench.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const QUESTIONS = [
  'dispatch',
  'payload',
  'throughput',
  'cold-start',
  'kill',
  'memory',
  'policy',
  'assess',
  'registry',
  'retries',
  'soak',
]

for (const question of QUESTIONS) {
  const file = fileURLToPath(new URL(`./${question}.ts`, import.meta.url))
  const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${question} failed`)
    process.exitCode = 1
  }
}
