import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { parse } from 'unbash'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BUILD_HAZARDS } from '../../../src/policies/auto-approval/shell/families/build-hazards.ts'
import { isHazard } from '../../../src/policies/auto-approval/shell/families/hazard-flags.ts'
import { READER_HAZARDS } from '../../../src/policies/auto-approval/shell/families/reader-hazards.ts'
import type { AssessedCall } from '../../../src/policies/auto-approval/types.ts'
import type { World } from './workspace.ts'
import { codesOf, createWorld } from './workspace.ts'

const HAZARDS = { ...READER_HAZARDS, ...BUILD_HAZARDS }

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.remove())

const verdict = (assessed: AssessedCall): string => assessed.assessment.verdict
const verdictsOf = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${verdict(world.bash(line))}: ${line}`)

describe('the reading of shell lines', () => {
  test('ASSESS-03 a line with an error in its tree is never allowed', () => {
    const broken = world.bash('echo "unterminated')
    expect([verdict(broken), codesOf(broken), broken.assessment.eligible]).toEqual([
      'ask-h',
      ['UNPARSABLE'],
      false,
    ])
    const parser = (text: string): ReturnType<typeof parse> =>
      text === 'true' ? parse(text) : { ...parse(text), errors: [{ message: 'no', pos: 0 }] }
    const same = world.bash('ls', { options: { parser } })
    expect([verdict(same), codesOf(same)]).toEqual(['ask-h', ['UNPARSABLE']])
    expect(same.shell).toMatchObject({ parsed: false, segments: [] })
  })

  test('ASSESS-04 every reader of contents reads what it is given', () => {
    const readers = [
      ...['cat', 'head', 'tail', 'wc', 'od', 'xxd', 'hexdump', 'strings', 'nl', 'sort', 'uniq'],
      ...['cut -f1', 'column', 'paste', 'join a.txt', 'comm a.txt', 'fold', 'fmt', 'rev', 'tac'],
      ...['diff a.txt', 'cmp a.txt', 'md5sum', 'sha1sum', 'sha256sum', 'sha512sum', 'cksum'],
      ...['base64', 'base32', 'jq .', 'grep x', 'egrep x', 'fgrep x', 'rg x', 'sed p', 'sed -n p'],
    ]
    for (const reader of readers)
      for (const line of [`${reader} sub/.env`, `${reader} -- sub/.env`, `${reader} < sub/.env`])
        expect(`${verdict(world.bash(line))}: ${line}`).toBe(`ask-l: ${line}`)
  })

  test('ASSESS-05 a glob stands for every dot name that it could match', () => {
    const names = [
      ...['.env', '.env.local', '.envrc', '.netrc', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc'],
      ...['.pgpass', '.my.cnf', '.git-credentials', '.htpasswd', '.vault-token', '.credentials.x'],
      ...['.ssh/x', '.gnupg/x', '.aws/x', '.azure/x', '.kube/x'],
    ]
    for (const name of names) {
      const [first = ''] = name.split('/')
      for (let at = 0; at < first.length; at += 1) {
        const character = name[at] ?? ''
        const [head, tail] = [name.slice(0, at), name.slice(at + 1)]
        for (const glob of [`${head}?${tail}`, `${head}[${character}]${tail}`])
          expect(`${verdict(world.bash(`cat ${glob}`))} ${glob}`).toBe(`ask-l ${glob}`)
        const cut = `${head}*${name.slice(first.length)}`
        if (at > 0) expect(`${verdict(world.bash(`cat ${cut}`))} ${cut}`).toBe(`ask-l ${cut}`)
      }
    }
    expect(verdict(world.bash('cat .env.example'))).toBe('allow')
  })

  test('ASSESS-06 a variable that programs obey is a hook wherever it is set', () => {
    const hooks = (
      'LD_PRELOAD DYLD_INSERT_LIBRARIES GIT_EXTERNAL_DIFF PYTHONPATH NPM_CONFIG_REGISTRY npm_config_prefix ' +
      'CARGO_HOME RUSTC_WRAPPER DOCKER_HOST AWS_PROFILE KUBECONFIG SSL_CERT_FILE https_proxy HTTP_PROXY PATH ' +
      'HOME SHELL ENV BASH_ENV SHELLOPTS BASHOPTS IFS PS4 PROMPT_COMMAND CDPATH GLOBIGNORE NODE_OPTIONS ' +
      'NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED PERL5LIB PERL5OPT RUBYOPT RUBYLIB ' +
      'JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS CLASSPATH PAGER MANPAGER LESS LESSOPEN ' +
      'LESSCLOSE EDITOR VISUAL BROWSER SSH_ASKPASS SUDO_ASKPASS CC CXX LD AR MAKEFLAGS MAKEFILES GCONV_PATH ' +
      'TAR_OPTIONS RIPGREP_CONFIG_PATH OPENSSL_CONF XDG_CONFIG_HOME RUSTFLAGS TMPDIR CAISSON_HOME'
    ).split(' ')
    for (const name of hooks) {
      const calls = [
        world.bash(`${name}=x ls`),
        world.bash(`env ${name}=x ls`),
        world.bash(`export ${name}=x`),
        world.bash(`${name}=x`),
        world.bash(`declare -x ${name}=x; ls`),
        world.call('bash', { command: 'ls', env: { [name]: 'x' } }),
      ]
      for (const call of calls)
        expect([name, verdict(call), codesOf(call)[0]]).toEqual([name, 'ask-h', 'ENV_HOOK'])
    }
    for (const name of [
      'FOO',
      'NODE_ENV',
      'GIT_AUTHOR_NAME',
      'GIT_TERMINAL_PROMPT',
      'GIT_OPTIONAL_LOCKS',
    ])
      expect(verdict(world.bash(`${name}=test ls`))).toBe('allow')
  })

  test('ASSESS-07 a flag that runs or writes asks, in full and by each prefix that is not ambiguous', () => {
    const lines: readonly (readonly [keyof typeof HAZARDS, string, string])[] = [
      ['gitBefore', 'git ', ' status'],
      ['git', 'git diff ', ''],
      ['rg', 'rg ', ' x src'],
      ['tar', 'tar -cf x.tar a.txt ', ''],
      ['curl', 'curl https://x.example ', ''],
      ['rsync', 'rsync a.txt b.txt ', ''],
      ['scp', 'scp ', ' a.txt b.txt'],
      ['pytest', 'pytest ', ''],
      ['eslint', 'eslint ', ' src'],
      ['vitest', 'vitest ', ''],
      ['jest', 'jest ', ''],
      ['tsc', 'tsc ', ''],
      ['prettier', 'prettier ', ' src'],
      ['make', 'make ', ' test'],
      ['cargo', 'cargo build ', ''],
      ['go', 'go test ', ' ./...'],
      ['npm', 'npm test ', ''],
      ['node', 'node ', ' x.js'],
    ]
    for (const [tool, before, after] of lines)
      for (const flag of HAZARDS[tool].flags)
        for (const spelled of spellings(flag, tool)) {
          const line = `${before}${spelled}${after}`
          expect(`${codesOf(world.bash(line)).includes('HAZARD_FLAG')}: ${line}`).toBe(
            `true: ${line}`,
          )
          expect(['ask-h', 'ask-l', 'deny']).toContain(verdict(world.bash(line)))
        }
    expect(codesOf(world.bash('ssh -o ProxyCommand=x host'))).toContain('HAZARD_FLAG')
    expect(codesOf(world.bash('make test CC=sh'))).toContain('HAZARD_FLAG')
    expect(codesOf(world.bash('sort -T /tmp a.txt'))).toContain('HAZARD_FLAG')
    expect(codesOf(world.bash('git diff -O x'))).toContain('HAZARD_FLAG')
  })

  test('ASSESS-08 what stands in front of a command does not hide it', () => {
    const wrappers = [
      ...[
        'env',
        'nohup',
        'setsid',
        'stdbuf -o L',
        'command',
        'builtin',
        'time',
        'timeout 5',
        'nice',
      ],
      ...['nice -n 5', 'ionice -c 3', 'chrt 5', 'taskset 1', 'flock /tmp/l', 'xargs', 'parallel'],
      ...[
        'watch',
        'unbuffer',
        'script /tmp/log',
        'exec',
        'coproc',
        'busybox',
        'toybox',
        'env -i A=1',
      ],
    ]
    for (const wrapper of wrappers)
      expect(`${verdict(world.bash(`${wrapper} rm -rf /`))}: ${wrapper}`).toBe(`deny: ${wrapper}`)
    const deep = 'env nohup setsid nice command builtin time exec env ls'
    expect(codesOf(world.bash(deep))).toContain('HIDDEN_SOURCE')
  })

  test('ASSESS-09 a value that the line gives can only tighten', () => {
    expect(verdict(world.bash('X=ls; $X'))).toBe('ask-h')
    expect(verdict(world.bash('X=sudo; $X ls'))).toBe('deny')
    expect(verdict(world.bash('X=a.txt; cat $X'))).toBe('ask-e')
    expect(verdict(world.bash('X=.env; cat $X'))).toBe('ask-l')
  })

  test('ASSESS-10 relative names follow a cd, and a subshell keeps its own', () => {
    expect(verdict(world.bash('cd /etc && cat passwd'))).toBe('ask-e')
    expect(verdict(world.bash('cd /etc; cat passwd'))).toBe('ask-e')
    const targets = world.bash('(cd /etc); cat a.txt').targets.filter(({ role }) => role === 'read')
    expect(targets.map(({ path }) => path)).toEqual([`${world.ws}/a.txt`])
    const both = world.bash('cd /etc; cat a.txt').targets.filter(({ role }) => role === 'read')
    expect(both.map(({ path }) => path)).toEqual([`${world.ws}/a.txt`, '/etc/a.txt'])
    expect(codesOf(world.bash('cd "$X" && cat a.txt'))).toContain('DYNAMIC_READ')
  })

  test('ASSESS-11 text nested five deep is not read', () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'ls' : `bash -c ${quote(nested(depth - 1))}`
    expect(codesOf(world.bash(nested(4)))).toEqual(['INLINE_SOURCE', 'ROUTINE_READ'])
    expect(codesOf(world.bash(nested(5)))).toContain('UNPARSABLE')
    expect(verdict(world.bash(nested(5)))).toBe('ask-h')
  })

  test('ASSESS-12 a folder is read as a whole only when nothing secret lies in it', () => {
    expect(verdict(world.bash('grep -r x src'))).toBe('allow')
    writeFileSync(world.at('ws/src/.env'), '')
    const asked = world.bash('grep -r x src')
    expect([verdict(asked), codesOf(asked)]).toEqual(['ask-h', ['RECURSIVE_READ']])
    expect(verdict(world.bash("grep -r x src --include='*.ts'"))).toBe('allow')
    expect(verdict(world.bash("grep -r x src --include='*'"))).toBe('ask-h')
    expect(verdict(world.bash('rg x src'))).toBe('allow')
    rmSync(world.at('ws/src/.env'))
    mkdirSync(world.at('ws/many'))
    for (let at = 0; at < 1100; at += 1) writeFileSync(world.at(`ws/many/f${at}`), '')
    expect(verdict(world.bash('grep -r x many'))).toBe('allow')
    expect(codesOf(world.bash('cat many/*'))).toContain('SECRET_READ')
  })

  test('ASSESS-13 program text is looked through and never denies', () => {
    const named = world.bash(`python3 -c "print(open('/home/u/.ssh/id_rsa').read())"`)
    expect([verdict(named), codesOf(named)]).toEqual(['ask-l', ['SECRET_READ', 'INLINE_SOURCE']])
    expect(verdict(world.bash(`python3 -c "open('~/.ssh/id_rsa')"`))).toBe('ask-l')
    expect(verdict(world.bash(`node -e "require('fs').rmSync('/', {recursive: true})"`))).toBe(
      'ask-l',
    )
  })

  test('ASSESS-14 a build without walls is no build', () => {
    const facts = { builtin: true, confined: false, capabilities: true }
    const assessed = world.bash('npm test', { options: { describe: () => facts } })
    expect([verdict(assessed), codesOf(assessed)]).toEqual(['ask-e', ['UNCONFINED_BUILD']])
    expect(
      verdict(
        world.bash('npm test', { options: { describe: () => ({ ...facts, confined: true }) } }),
      ),
    ).toBe('allow')
  })

  test('ASSESS-18 names are compared without case and width', () => {
    expect(verdictsOf(['cat .ENV', 'cat ．ｅｎｖ', 'cat .ｅｎｖ', 'cat SUB/.Env'])).toEqual([
      'ask-l: cat .ENV',
      'ask-l: cat ．ｅｎｖ',
      'ask-l: cat .ｅｎｖ',
      'ask-l: cat SUB/.Env',
    ])
  })

  test('ASSESS-19 text that is no path is no path', () => {
    expect(codesOf(world.bash('grep "~/.ssh/id_rsa" README.md'))).toEqual(['ROUTINE_READ'])
    expect(codesOf(world.bash('git commit -m "~/.ssh/id_rsa"'))).toEqual(['GIT_CHANGE'])
    expect(codesOf(world.bash('echo ~/.ssh/id_rsa'))).toEqual(['TEXT_ONLY'])
    expect(codesOf(world.bash('rg -e /etc/shadow src'))).toEqual(['ROUTINE_READ'])
    expect(codesOf(world.bash("sed -n '/.env/p' a.txt"))).toEqual(['ROUTINE_READ'])
  })

  test('a line with more operands than are looked at one by one is not guessed', () => {
    const many = Array.from({ length: 300 }, (_, at) => `f${at}`).join(' ')
    expect(codesOf(world.bash(`cat ${many}`))).toContain('UNPARSABLE')
    expect(world.bash(`rm ${many}`).guard?.code).toBe('TARGET_UNREADABLE')
  })
})

function spellings(flag: string, tool: keyof typeof HAZARDS): readonly string[] {
  if (!flag.startsWith('--') || flag.length < 5) return [flag]
  const prefixes = Array.from({ length: flag.length - 4 }, (_, at) => flag.slice(0, at + 5))
  return prefixes.filter((name) => isHazard({ name }, HAZARDS[tool]))
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
