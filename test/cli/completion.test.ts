import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caisson } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

const run = promisify(execFile)
const SHELLS = ['bash', 'zsh', 'fish'] as const
const scripts = new Map<string, string>()
const installed = new Set<string>()
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-completion-'))
  for (const shell of SHELLS) {
    const { code, stdout } = await caisson(['completion', shell])
    expect(code).toBe(0)
    scripts.set(shell, join(folder, shell))
    await writeFile(join(folder, shell), stdout)
    await run(shell, ['--version']).then(
      () => installed.add(shell),
      () => undefined,
    )
  }
})
afterAll(() => removeFolder(folder))

/** What bash offers for the last word of each line, once it has sourced the script. */
async function complete(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const quoted = (word: string): string => `'${word}'`
  const asks = lines.map(
    (words) =>
      `COMP_WORDS=(caisson ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}; _caisson; echo "\${COMPREPLY[*]}"`,
  )
  const script = [`source ${scripts.get('bash')}`, 'complete -p caisson', ...asks].join('\n')
  const { stdout, stderr } = await run('bash', ['--norc', '-c', script])
  expect(stderr).toBe('')
  const [registered, ...answers] = stdout.split('\n').slice(0, -1)
  expect(registered).toBe('complete -F _caisson caisson')
  return answers.map((answer) => answer.split(' ').filter(Boolean))
}

describe('caisson completion bash', () => {
  test('completes commands, options and values once bash has sourced it', async (context) => {
    if (!installed.has('bash')) return context.skip('there is no bash here')
    const [
      commands,
      some,
      options,
      approve,
      own,
      joined,
      profiles,
      inner,
      shells,
      none,
      list,
      shown,
    ] = await complete([
      [''],
      ['ben'],
      ['run', 'x.mjs', '--app'],
      ['run', '--approve', ''],
      ['bench', '--arrivals', 'p'],
      ['bench', '--arrivals', '=', 'c'],
      ['list', 'a.ts', '--profile', 'work'],
      ['bench', 'compare', '--tol'],
      ['completion', ''],
      ['run', '--timeout', ''],
      ['list', '--conf'],
      ['profiles', '--conf'],
    ])
    expect(commands).toEqual(expect.arrayContaining(['run', 'list', 'check', 'bench', 'doctor']))
    expect(some).toEqual(['bench'])
    expect(options).toEqual(['--approve'])
    expect(approve).toEqual(['ask', 'always', 'never'])
    expect(own).toEqual(['poisson'])
    expect(joined).toEqual(['constant'])
    expect(profiles).toEqual(['workspace-read', 'workspace-write'])
    expect(inner).toEqual(['--tolerance'])
    expect(shells).toEqual(['bash', 'zsh', 'fish'])
    expect(none).toEqual([])
    expect([list, shown]).toEqual([['--config'], ['--config']])
  })

  test('knows every command and option that the help names', async (context) => {
    if (!installed.has('bash')) return context.skip('there is no bash here')
    const { stdout } = await caisson(['--help'])
    const listed = /^Commands:\n([^]*?)^Exit codes/m.exec(stdout)?.[1] ?? ''
    const named = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(6)
    const help = await caisson(['bench', '--help'])
    const flags = [...help.stdout.matchAll(/^ +(?:-h, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
    const [commands = [], options = []] = await complete([[''], ['bench', '--']])
    expect(commands.toSorted()).toEqual(named.filter((name) => name !== 'help').toSorted())
    expect(options.toSorted()).toEqual(flags.map(String).toSorted())
  })
})

test.each(['zsh', 'fish'])(
  'caisson completion %s is a script that its shell reads',
  async (shell) => {
    const path = scripts.get(shell) ?? ''
    if (installed.has(shell)) await run(shell, ['-n', path])
    const { stdout } = await run('cat', [path])
    for (const word of ['bench', 'compare', 'always', 'workspace-read', 'tolerance']) {
      expect(stdout).toContain(word)
    }
  },
)

test('caisson completion refuses a shell it does not know in one line', async () => {
  const { code, stderr, stdout } = await caisson(['completion', 'cmd'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stderr).toContain('bash, zsh, fish')
})
