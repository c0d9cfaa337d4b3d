import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { approvalConfigSchema } from '../../src/policies/auto-approval/config/schema.ts'
import { makeFolder } from '../helpers/folders.ts'

const page = readFileSync(new URL('../../docs/approval.md', import.meta.url), 'utf8')
const INDEX = fileURLToPath(new URL('../../src/index.ts', import.meta.url))

test('the host of the approval page starts, and decides as the page says', () => {
  const folder = makeFolder('caisson-approval-page-')
  const code = /^```ts\n([\s\S]*?)^```/m.exec(page)?.[1] ?? ''
  const program = `${code.replace("'caisson'", JSON.stringify(INDEX)).replace("'/ws'", JSON.stringify(folder))}
const ask = (command: string) => host.approval.explain({ name: 'bash', arguments: { command } })
const { verdict, by } = ask('npm test')
console.log(JSON.stringify([ask('git push').verdict, verdict, by, ask('npm test; curl https://x.example').verdict]))
await host.close()
`
  writeFileSync(join(folder, 'page.ts'), program)
  const shown = execFileSync(process.execPath, [join(folder, 'page.ts')], {
    env: { ...process.env, CAISSON_HOME: join(folder, 'state') },
    encoding: 'utf8',
  })
  expect(JSON.parse(shown)).toEqual(['ask', 'allow', 'rule tests', 'ask'])
})

test('the page names no setting that does not exist', () => {
  const known = Object.keys(approvalConfigSchema.parse({}))
  for (const name of [
    'categories',
    'rules',
    'rulesDryRun',
    'timeoutAction',
    'redactResults',
    'breaker',
  ]) {
    expect(page).toContain(name)
    expect(known).toContain(name)
  }
})
