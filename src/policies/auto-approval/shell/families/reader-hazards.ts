import type { HazardSpec } from './hazard-flags.ts'

/** Hazard flags of programs that read, search, pack or send. */
export const READER_HAZARDS = {
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
} as const satisfies Readonly<Record<string, HazardSpec>>
