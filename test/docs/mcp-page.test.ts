import { readFileSync } from 'node:fs'
import { parse } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { fileSchema } from '../../src/config/file-schema.ts'
import { caisson } from '../cli/caisson.ts'

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('the configuration that gives servers files is one', () => {
  const [, code = ''] = /^```jsonc\n([^]*?)^```/m.exec(page) ?? []
  const config: unknown = parse(code, [], { allowTrailingComma: true })
  expect(config).toHaveProperty('mcpServers.files.profile', 'workspace-server')
  expect(fileSchema.safeParse(config).error).toBeUndefined()
})

test('the README and the page name only options that the command has', async () => {
  const { stdout } = await caisson(['serve', '--help'])
  const known = new Set(stdout.match(/--[a-z][a-z-]*/g))
  const commands = [page, readme].flatMap((text) => text.match(/caisson serve[^\n`]*/g) ?? [])
  expect(commands.length).toBeGreaterThan(1)
  for (const command of commands) {
    for (const option of command.match(/--[a-z][a-z-]*/g) ?? []) expect(known).toContain(option)
  }
})
