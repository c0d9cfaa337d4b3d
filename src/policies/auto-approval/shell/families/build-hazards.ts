import type { HazardSpec } from './hazard-flags.ts'

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

/** Hazard flags of programs that build, test, format or run. */
export const BUILD_HAZARDS = {
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
