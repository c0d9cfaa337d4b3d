import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { caisson } from '../cli/caisson.ts'

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('the README and the page name only options that the command has', async () => {
  const { stdout } = await caisson(['serve', '--help'])
  const known = new Set(stdout.match(/--[a-z][a-z-]*/g))
  const commands = [page, readme].flatMap((text) => text.match(/caisson serve[^\n`]*/g) ?? [])
  expect(commands.length).toBeGreaterThan(1)
  for (const command of commands) {
    for (const option of command.match(/--[a-z][a-z-]*/g) ?? []) expect(known).toContain(option)
  }
})
