import type { ParsedArgs } from '../options.ts'
import { hasFlag, parseArgs } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { startOf, textOf } from '../shell-word.ts'
import { addBuild, judgeBuild } from './build.ts'
import { hazardIn } from './hazard-flags.ts'
import { BUILD_HAZARDS } from './build-hazards.ts'
import { judgeRuntime } from './interpreters.ts'
import { judgeUnknown } from './unknown.ts'

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun']
const INSTALLS: ReadonlySet<string> = new Set(
  (
    'install i add ci update up upgrade remove rm uninstall un exec x dlx create init link import dedupe ' +
    'rebuild audit patch approve-builds prune'
  ).split(' '),
)
const SCRIPTS = /^(?:build|test|typecheck|check|verify|lint|format)(?::[\w.:-]+)?$/
const EXEC_BUILDS: ReadonlySet<string> = new Set(['tsc', 'vitest', 'eslint'])
const SYSTEM = 'gem apt apt-get dnf yum apk brew pacman snap zypper'

/** Package managers: build scripts, installing, publishing. */
export const PACKAGE_FAMILIES: Families = {
  ...Object.fromEntries(MANAGERS.map((name) => [name, judgeManager])),
  ...Object.fromEntries(
    ['npx', 'bunx', 'uvx', 'pipx', 'pnpx', 'corepack'].map((name) => [name, judgeRunner]),
  ),
  pip: judgePip,
  pip3: judgePip,
  uv: (segment) =>
    judgeTool(
      segment,
      ['add', 'sync', 'run', 'pip', 'tool', 'lock', 'remove', 'venv', 'python', 'init', 'build'],
      ['publish'],
    ),
  poetry: (segment) =>
    judgeTool(segment, ['add', 'sync', 'run', 'install', 'update', 'remove', 'lock'], ['publish']),
  cargo: judgeCargo,
  go: judgeGo,
  twine: (segment) => judgeTool(segment, [], ['upload']),
  deno: judgeDeno,
  ...Object.fromEntries(SYSTEM.split(' ').map((name) => [name, judgeSystem])),
}

const MANAGER_SPEC = {
  values: 'Cw',
  long: [
    'prefix',
    'dir',
    'cwd',
    'script-shell',
    'node-options',
    'userconfig',
    'globalconfig',
    'filter',
    'workspace',
    'registry',
    'loglevel',
  ],
  stops: true,
}

function judgeManager(segment: Segment): void {
  segment.mark('other')
  const before = parseArgs(segment.args, MANAGER_SPEC)
  const [sub, ...rest] = before.operands
  const name = textOf(sub)
  const args = parseArgs(rest, { ...MANAGER_SPEC, stops: false })
  if (hazardIn(before, BUILD_HAZARDS.npm) || hazardBeforeDashes(rest)) segment.add('HAZARD_FLAG')
  if (
    segment.name === 'bun' &&
    (name === undefined || /[./]|^(?:-e|-p|run)$/.test(name)) &&
    !runsScript(rest)
  )
    return judgeRuntime(segment)
  if (name === undefined) return judgeBare(sub, segment)
  if (name === 'publish') return judgePublish(segment)
  if (name === 'token') return segment.add('SECRET_READ')
  if (name === 'config' || name === 'set') return judgeConfig(args, segment)
  if (isBuild(name, rest)) {
    addBuild(segment)
    return segment.paths(rest.slice(name.startsWith('run') ? 1 : 0).filter(isOperand), 'read')
  }
  if (name === 'exec' && EXEC_BUILDS.has(textOf(afterDashes(rest)[0]) ?? '')) {
    const [tool, ...more] = afterDashes(rest)
    return judgeBuild(textOf(tool) ?? '', more, segment)
  }
  if (INSTALLS.has(name)) return judgeInstall(args, before, segment)
  judgeUnknown(segment)
}

// Without a subcommand yarn installs, the others print help.
function judgeBare(sub: ShellWord | undefined, segment: Segment): void {
  if (sub !== undefined) segment.add('DYNAMIC_COMMAND')
  segment.add(segment.name === 'yarn' ? 'PACKAGE_INSTALL' : 'UNKNOWN_COMMAND')
}

function judgeConfig(args: ParsedArgs, segment: Segment): void {
  const reads = ['get', 'list', 'ls'].includes(textOf(args.operands[0]) ?? '')
  segment.add(reads ? 'UNKNOWN_COMMAND' : 'PROTECTED_WRITE')
}

function hazardBeforeDashes(rest: readonly ShellWord[]): boolean {
  const end = rest.findIndex((word) => textOf(word) === '--')
  const own = end < 0 ? rest : rest.slice(0, end)
  return hazardIn(parseArgs(own, { values: 'C' }), BUILD_HAZARDS.npm)
}

function runsScript(rest: readonly ShellWord[]): boolean {
  return SCRIPTS.test(textOf(rest.find(isOperand)) ?? '')
}

function isBuild(name: string, rest: readonly ShellWord[]): boolean {
  if (['test', 't', 'tst'].includes(name)) return true
  return (name === 'run' || name === 'run-script') && runsScript(rest)
}

function afterDashes(rest: readonly ShellWord[]): readonly ShellWord[] {
  return textOf(rest[0]) === '--' ? rest.slice(1) : rest
}

function isOperand(word: ShellWord): boolean {
  return !startOf(word).startsWith('-')
}

function judgeInstall(args: ParsedArgs, before: ParsedArgs, segment: Segment): void {
  segment.add('PACKAGE_INSTALL')
  if ([args, before].some((some) => hasFlag(some, '-g', '--global'))) segment.add('GLOBAL_INSTALL')
  segment.paths(args.operands, 'unknown')
}

function judgePublish(segment: Segment): void {
  segment.mark('other')
  segment.add('PUBLISH')
}

const BARE_BUILDS: ReadonlySet<string> = new Set(['tsc', 'vitest', 'eslint', 'jest', 'prettier'])

function judgeRunner(segment: Segment): void {
  segment.mark('other')
  segment.add('PACKAGE_INSTALL')
  const [tool, ...rest] = parseArgs(segment.args, {
    values: 'pc',
    long: ['package', 'call', 'from', 'with'],
    stops: true,
  }).operands
  const name = textOf(tool) ?? ''
  if (hasFlag(parseArgs(segment.args, { values: 'pc', stops: true }), '-c', '--call'))
    segment.add('HIDDEN_SOURCE')
  // What it runs is judged as well, so its hazards count.
  if (BARE_BUILDS.has(name)) judgeBuild(name, rest, segment)
  else segment.paths(rest.filter(isOperand), 'unknown')
}

function judgePip(segment: Segment): void {
  const sub = textOf(segment.args.find(isOperand))
  if (sub === 'config') return segment.add('PROTECTED_WRITE')
  if (sub !== 'install' && sub !== 'uninstall' && sub !== 'download' && sub !== 'wheel')
    return judgeUnknown(segment)
  segment.mark('other')
  segment.add('PACKAGE_INSTALL')
  const args = parseArgs(segment.args, {
    values: 'rcteif',
    long: ['requirement', 'constraint', 'target', 'editable', 'index-url', 'prefix', 'root'],
  })
  for (const { name, value } of args.flags)
    if (value !== undefined && !['-i', '--index-url'].includes(name))
      segment.path(
        value,
        ['-t', '--target', '--prefix', '--root'].includes(name) ? 'write' : 'read',
      )
  segment.paths(args.operands.slice(1), 'unknown')
}

function judgeTool(
  segment: Segment,
  installs: readonly string[],
  publishes: readonly string[],
): void {
  const sub = textOf(segment.args.find(isOperand)) ?? ''
  if (publishes.includes(sub)) return judgePublish(segment)
  if (!installs.includes(sub)) return judgeUnknown(segment)
  segment.mark('other')
  segment.add('PACKAGE_INSTALL')
  segment.paths(segment.args.filter(isOperand).slice(1), 'unknown')
}

function judgeCargo(segment: Segment): void {
  const words =
    textOf(segment.args[0])?.startsWith('+') === true ? segment.args.slice(1) : segment.args
  const sub = textOf(words.find(isOperand)) ?? ''
  if (sub === 'publish' || sub === 'yank' || sub === 'owner') return judgePublish(segment)
  if (
    hazardIn(
      parseArgs(words, { values: 'Z', long: ['config', 'manifest-path'] }),
      BUILD_HAZARDS.cargo,
    )
  )
    segment.add('HAZARD_FLAG')
  if (sub === 'install' || sub === 'uninstall') return addAs('GLOBAL_INSTALL', segment)
  if (['add', 'update', 'remove', 'fetch', 'new', 'init'].includes(sub))
    return addAs('PACKAGE_INSTALL', segment)
  judgeBuild('cargo', words, segment)
}

function judgeGo(segment: Segment): void {
  const sub = textOf(segment.args[0]) ?? ''
  if (sub === 'install') return addAs('GLOBAL_INSTALL', segment)
  if (sub === 'get' || sub === 'mod') return addAs('PACKAGE_INSTALL', segment)
  if (sub === 'run' || sub === 'generate' || sub === 'tool') {
    addAs('PROGRAM_FILE', segment)
    if (hazardIn(parseArgs(segment.args, { single: true }), BUILD_HAZARDS.go))
      segment.add('HAZARD_FLAG')
    return segment.paths(segment.args.slice(1).filter(isOperand), 'unknown')
  }
  if (sub === 'env' && segment.args.some((word) => textOf(word) === '-w'))
    return addAs('ENV_HOOK', segment)
  judgeBuild('go', segment.args, segment)
}

function judgeDeno(segment: Segment): void {
  const sub = textOf(segment.args[0]) ?? ''
  if (sub === 'install' || sub === 'add' || sub === 'remove' || sub === 'update')
    return addAs('PACKAGE_INSTALL', segment)
  if (sub === 'publish' || sub === 'deploy') return judgePublish(segment)
  judgeRuntime(segment)
}

function addAs(code: string, segment: Segment): void {
  segment.mark('other')
  segment.add(code)
}

function judgeSystem(segment: Segment): void {
  segment.mark('other')
  if (segment.name === 'gem' && textOf(segment.args[0]) === 'push') return judgePublish(segment)
  segment.add('GLOBAL_INSTALL')
  segment.paths(segment.args.filter(isOperand), 'unknown')
}
