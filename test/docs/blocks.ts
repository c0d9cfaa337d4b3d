import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../cli/caisson.ts'

/** A fenced block of a page: ```` ```js file=x.mjs run exit=1 ````. */
export interface Block {
  readonly language: string
  readonly file: string | undefined
  /** Words without a value, such as `run`. */
  readonly kinds: readonly string[]
  /** Words with one, such as `exit=1`. */
  readonly facts: Readonly<Record<string, string>>
  readonly code: string
}

/** The blocks of a page of the docs, in order. */
export function readBlocks(page: string): Block[] {
  const text = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8')
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([^]*?)^```$/gm)].map(
    ([, language = '', info = '', code = '']) => {
      const words = [...info.matchAll(/([a-z]+)(?:=(?:"([^"]*)"|(\S+)))?/g)]
      const facts = Object.fromEntries(
        words.flatMap(([, key = '', quoted, plain]) => {
          const value = quoted ?? plain
          return value === undefined ? [] : [[key, value]]
        }),
      )
      const kinds = words.flatMap(([, key = '']) => (key in facts ? [] : [key]))
      return { language, file: facts['file'], kinds, facts, code }
    },
  )
}

/** A block of shell with the command line of this checkout in place of the installed one. */
export function toShell(code: string): string {
  const bin = `'${process.execPath}' '${join(ROOT, 'bin/caisson.mjs')}'`
  return code.replaceAll(/npx caisson\b/g, bin)
}

/** What each client is told to start: from a shell line, JSON or TOML. */
export function listCommands(blocks: readonly Block[]): string[][] {
  return blocks.map(({ language, code }) => {
    if (language === 'sh')
      return code
        .trim()
        .replace(/^.* -- /, '')
        .split(' ')
    if (language === 'json') {
      const { mcpServers } = JSON.parse(code) as {
        mcpServers: { caisson: { command: string; args: string[] } }
      }
      return [mcpServers.caisson.command, ...mcpServers.caisson.args]
    }
    const [, command = ''] = /^command = "([^"]*)"$/m.exec(code) ?? []
    const [, args = '[]'] = /^args = (\[.*\])$/m.exec(code) ?? []
    return [command, ...(JSON.parse(args) as string[])]
  })
}
