import type { OptionSpec } from '../options.ts'
import { parseArgs } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, startOf, textOf } from '../shell-word.ts'
import type { HazardSpec } from './hazard-flags.ts'
import { hazardIn } from './hazard-flags.ts'
import { BUILD_HAZARDS } from './build-hazards.ts'
import { judgeUnknown } from './unknown.ts'

interface Builder {
  readonly hazards?: HazardSpec
  readonly options?: OptionSpec
  /** First operands that build or test; undefined when any does. */
  readonly subcommands?: ReadonlySet<string>
}

const MAKE_TARGETS: ReadonlySet<string> = new Set([
  'all',
  'build',
  'test',
  'check',
  'verify',
  'lint',
])
const BUILDERS: Readonly<Record<string, Builder>> = {
  tsc: { hazards: BUILD_HAZARDS.tsc },
  vitest: { hazards: BUILD_HAZARDS.vitest },
  jest: { hazards: BUILD_HAZARDS.jest },
  eslint: { hazards: BUILD_HAZARDS.eslint },
  prettier: { hazards: BUILD_HAZARDS.prettier },
  pytest: { hazards: BUILD_HAZARDS.pytest, options: { values: 'pcokmnrW' } },
  unittest: {},
  mypy: { hazards: { flags: ['--config-file', '--python-executable', '--plugins'] } },
  ruff: { hazards: { flags: ['--config'] } },
  cargo: {
    hazards: BUILD_HAZARDS.cargo,
    options: {
      values: 'pjZF',
      long: [
        'package',
        'test',
        'bin',
        'example',
        'features',
        'target',
        'profile',
        'jobs',
        'manifest-path',
        'config',
        'color',
      ],
    },
    subcommands: new Set(['build', 'test', 'check', 'clippy', 'fmt', 'b', 't', 'c']),
  },
  go: {
    hazards: BUILD_HAZARDS.go,
    options: {
      single: true,
      long: ['run', 'count', 'timeout', 'o', 'tags', 'p', 'mod', 'bench', 'cpu', 'coverprofile'],
    },
    subcommands: new Set(['build', 'test', 'vet', 'fmt']),
  },
}

/** Programs that build, check or test the project. */
export const BUILD_FAMILIES: Families = {
  ...Object.fromEntries(
    Object.keys(BUILDERS)
      .filter((name) => name !== 'cargo' && name !== 'go' && name !== 'unittest')
      .map((name) => [name, (segment: Segment) => judgeBuild(name, segment.args, segment)]),
  ),
  make: judgeMake,
  gmake: judgeMake,
}

/** Judges the words after the name of a build or test program. */
export function judgeBuild(name: string, words: readonly ShellWord[], segment: Segment): void {
  segment.mark('other')
  const { hazards, options = {}, subcommands } = BUILDERS[name] ?? {}
  const args = parseArgs(words, options)
  const sub = textOf(args.operands[0]) ?? ''
  if (subcommands !== undefined && !subcommands.has(sub)) return judgeUnknown(segment)
  if (hazards !== undefined && hazardIn(args, hazards)) segment.add('HAZARD_FLAG')
  addBuild(segment)
  segment.paths(subcommands === undefined ? args.operands : args.operands.slice(1), 'read')
  for (const { value } of args.flags)
    if (value !== undefined && isPath(value)) segment.path(value, 'read')
}

/** Project code runs; what holds it is the sandbox, where there is one. */
export function addBuild(segment: Segment): void {
  segment.mark('other')
  segment.add(segment.context.line.confined ? 'BUILD' : 'UNCONFINED_BUILD')
}

function isPath(word: ShellWord): boolean {
  return isDynamic(word) || /[/~]|^\./.test(textOf(word) ?? '/')
}

function judgeMake(segment: Segment): void {
  const args = parseArgs(segment.args, {
    values: 'fCIEoWj',
    long: ['file', 'makefile', 'directory', 'include-dir', 'eval', 'old-file', 'what-if'],
  })
  const counts = args.flags.filter(({ name }) => name === '-j').map(({ value }) => value)
  // `-j build`: the number is optional.
  const extra = counts.filter((word) => word !== undefined && !/^\d*$/.test(textOf(word) ?? ''))
  const targets = [...args.operands, ...extra.filter((word) => word !== undefined)]
  if (hazardIn(args, BUILD_HAZARDS.make) || targets.some((word) => startOf(word).includes('=')))
    segment.add('HAZARD_FLAG')
  if (targets.every((word) => MAKE_TARGETS.has(textOf(word) ?? ''))) return addBuild(segment)
  judgeUnknown(segment)
}
