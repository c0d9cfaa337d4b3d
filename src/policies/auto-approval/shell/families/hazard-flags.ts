import type { Flag, ParsedArgs } from '../options.ts'

/** Flags that turn a reader or a build into a runner or a writer. */
export interface HazardSpec {
  readonly flags: readonly string[]
  /** Long flags that are harmless, and so make shorter spellings of a hazard ambiguous. */
  readonly harmless?: readonly string[]
}

const NPM = {
  flags: [
    ...['--prefix', '-C', '--dir', '--cwd', '--script-shell', '--node-options', '--userconfig'],
    '--globalconfig',
  ],
  harmless: ['--prefer-offline', '--no-audit', '--silent', '--no-fund', '--dry-run', '--global'],
}
const TEST_RUNNER = {
  flags: ['--config', '--root', '--globalSetup', '-c', '-r'],
  harmless: ['--run', '--coverage', '--reporter', '--color', '--globals', '--ci'],
}

export const HAZARDS = {
  gitBefore: {
    flags: ['-c', '--config-env', '--exec-path', '--git-dir', '--work-tree', '-p'],
    harmless: ['--no-pager', '--paginate', '--version', '--help'],
  },
  git: {
    flags: [
      ...['--ext-diff', '--textconv', '--output', '--no-index', '--open-files-in-pager'],
      ...['--upload-pack', '--receive-pack', '--extcmd'],
    ],
    harmless: [
      ...[
        '--text',
        '--exit-code',
        '--oneline',
        '--unified',
        '--open',
        '--no-merges',
        '--no-color',
        '--no-edit',
      ],
      ...[
        '--no-ff',
        '--no-pager',
        '--no-verify',
        '--no-patch',
        '--no-renames',
        '--no-ext-diff',
        '--no-textconv',
      ],
      ...[
        '--only',
        '--ours',
        '--theirs',
        '--onto',
        '--untracked-files',
        '--update-refs',
        '--no-track',
      ],
      ...[
        '--output-indicator-new',
        '--recurse-submodules',
        '--remotes',
        '--no-tags',
        '--no-rebase',
      ],
    ],
  },
  rg: {
    flags: ['--pre', '--pre-glob', '--hostname-bin'],
    harmless: ['--pretty', '--hidden', '--heading', '--help'],
  },
  tar: {
    flags: [
      ...[
        '--to-command',
        '--checkpoint-action',
        '--use-compress-program',
        '-I',
        '--info-script',
        '-F',
      ],
      ...['--new-volume-script', '--rsh-command', '--rmt-command'],
    ],
    harmless: [
      '--totals',
      '--touch',
      '--use',
      '--checkpoint',
      '--checkpoint-exec',
      '--newer',
      '--new',
      '--no-same-owner',
      '--index-file',
      '--ignore-failed-read',
    ],
  },
  curl: {
    flags: [
      '-K',
      '--config',
      '-x',
      '--proxy',
      '--preproxy',
      '--engine',
      '--resolve',
      '--connect-to',
    ],
    harmless: [
      '--connect-timeout',
      '--compressed',
      '--continue-at',
      '--cookie',
      '--cookie-jar',
      '--retry',
      '--request',
      '--referer',
      '--remote-name',
      '--progress-bar',
      '--proto',
      '--proto-redir',
      '--post301',
    ],
  },
  rsync: {
    flags: ['-e', '--rsh', '--rsync-path'],
    harmless: ['--recursive', '--relative', '--rsync'],
  },
  scp: { flags: ['-S', '-o', '-J'] },
  pytest: {
    flags: [
      '-p',
      '-c',
      '-o',
      '--rootdir',
      '--confcutdir',
      '--override-ini',
      '--config-file',
      '--pyargs',
    ],
    harmless: [
      '--color',
      '--collect-only',
      '--cov',
      '--continue-on-collection-errors',
      '--ov',
      '--co',
    ],
  },
  eslint: {
    flags: [
      '--rulesdir',
      '--config',
      '-c',
      '--parser',
      '--plugin',
      '--format',
      '--resolve-plugins-relative-to',
      '-f',
    ],
    harmless: [
      '--rule',
      '--color',
      '--cache',
      '--cache-location',
      '--fix',
      '--print-config',
      '--quiet',
      '--parser-options',
    ],
  },
  vitest: TEST_RUNNER,
  jest: {
    flags: [
      '--config',
      '--root',
      '--rootDir',
      '--globalSetup',
      '-c',
      '--roots',
      '--runner',
      '--testRunner',
      '--setupFiles',
      '--transform',
    ],
    harmless: [
      '--coverage',
      '--color',
      '--ci',
      '--collectCoverage',
      '--runInBand',
      '--runTestsByPath',
      '--globals',
      '--config-loader',
    ],
  },
  tsc: {
    flags: ['-p', '-b', '--project', '--build', '--outDir', '--outFile', '--plugins'],
    harmless: ['--pretty', '--preserveWatchOutput', '--out'],
  },
  prettier: {
    flags: ['--plugin', '--config'],
    harmless: [
      '--check',
      '--cache',
      '--cache-location',
      '--color',
      '--print-width',
      '--parser',
      '--config-precedence',
    ],
  },
  make: {
    flags: [
      '-f',
      '-C',
      '-I',
      '--eval',
      '--file',
      '--makefile',
      '--directory',
      '--include-dir',
      '-E',
    ],
    harmless: [
      '--environment-overrides',
      '--dry-run',
      '--debug',
      '--ignore-errors',
      '--keep-going',
      '--max-load',
      '--max',
    ],
  },
  cargo: {
    flags: ['--config', '--manifest-path', '-Z'],
    harmless: ['--color', '--message-format', '--cfg'],
  },
  go: {
    flags: [
      '-exec',
      '-toolexec',
      '-overlay',
      '-modfile',
      '-ldflags',
      '--exec',
      '--toolexec',
      '--overlay',
      '--modfile',
      '--ldflags',
    ],
  },
  npm: NPM,
  node: {
    flags: [
      '-r',
      '--require',
      '--import',
      '--loader',
      '--experimental-loader',
      '--env-file',
      '--inspect-brk',
    ],
    harmless: [
      '--input-type',
      '--inspect',
      '--expose-gc',
      '--enable-source-maps',
      '--experimental-strip-types',
      '--experimental-vm-modules',
      '--env',
    ],
  },
} as const satisfies Readonly<Record<string, HazardSpec>>

/** Whether a command line uses one of the hazard flags, in full or by an unambiguous prefix. */
export function hazardIn(args: ParsedArgs, spec: HazardSpec): boolean {
  return args.flags.some((flag) => isHazard(flag, spec))
}

/** Whether one flag is a hazard. */
export function isHazard({ name }: Pick<Flag, 'name'>, spec: HazardSpec): boolean {
  if (spec.flags.includes(name)) return true
  if (!name.startsWith('--') || name.length < 3) return false
  if (spec.harmless?.some((harmless) => harmless.startsWith(name)) === true) return false
  return spec.flags.some((hazard) => hazard.startsWith(name))
}
