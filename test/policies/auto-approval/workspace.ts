import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createAssessor } from '../../../src/policies/auto-approval/assessor.ts'
import type {
  Assessor,
  AssessorOptions,
  AssessorSettings,
} from '../../../src/policies/auto-approval/assessor-types.ts'
import type { AssessedCall } from '../../../src/policies/auto-approval/types.ts'
import type { JsonValue } from '../../../src/types/json.ts'
import { removeFolder } from '../../helpers/folders.ts'

const FILES: Readonly<Record<string, string>> = {
  'ws/.env': 'A=1\n',
  'ws/.env.example': 'A=\n',
  'ws/.gitignore': 'node_modules\n',
  'ws/.npmrc': '',
  'ws/README.md': '# x\n',
  'ws/Makefile': 'all:\n',
  'ws/package.json': '{}\n',
  'ws/a.txt': 'a\n',
  'ws/.git/config': '[core]\n',
  'ws/.git/HEAD': 'ref: refs/heads/main\n',
  'ws/src/index.ts': '',
  'ws/src/util.ts': '',
  'ws/src/app.py': '',
  'ws/sub/.env': 'B=2\n',
  'ws/sub/x.txt': '',
  'ws/scripts/setup.sh': 'true\n',
  'ws/certs/server.key': 'k\n',
  'ws/certs/ca.crt': 'c\n',
  'ws/docs/guide.md': '',
}
const FOLDERS = ['ws/build', 'home/u/.caisson', 'tmp', 'outside']

const DEFAULTS: AssessorSettings = {
  positionMode: 'workspace',
  trustedDirs: [],
  trustedHosts: [],
  credentialReads: 'deny',
  protectedNames: [],
  policyFiles: [],
}

/** A workspace, a home and a temp root of real files; `/ws`, `/home/u` and `/tmp` in texts mean these. */
export interface World {
  readonly base: string
  readonly ws: string
  readonly home: string
  at(path: string): string
  /** Rewrites the folders of the tables to the real ones. */
  local<T extends JsonValue>(value: T): T
  assessor(settings?: Partial<AssessorSettings>, options?: Partial<AssessorOptions>): Assessor
  call(name: string, args: JsonValue, extra?: CallExtra): AssessedCall
  bash(command: string, extra?: CallExtra): AssessedCall
  remove(): void
}

export interface CallExtra {
  readonly settings?: Partial<AssessorSettings>
  readonly options?: Partial<AssessorOptions>
  readonly cwd?: string
  readonly root?: string
}

export function createWorld(): World {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-approval-')))
  for (const folder of FOLDERS) mkdirSync(join(base, folder), { recursive: true })
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), text)
  }
  const ws = join(base, 'ws')
  const home = join(base, 'home/u')
  const local = <T extends JsonValue>(value: T): T => rewrite(value, base) as T
  const assessor = (
    settings: Partial<AssessorSettings> = {},
    options: Partial<AssessorOptions> = {},
  ): Assessor =>
    createAssessor({
      home,
      stateDir: join(home, '.caisson'),
      tempRoots: [join(base, 'tmp')],
      settings: () => ({ ...DEFAULTS, ...settings }),
      describe: () => undefined,
      ...options,
    })
  const call: World['call'] = (name, args, { settings, options, cwd = ws, root } = {}) =>
    assessor(settings, options).assess({
      name,
      arguments: local(args),
      cwd,
      ...(root === undefined ? {} : { root }),
    })
  return {
    base,
    ws,
    home,
    at: (path) => join(base, path),
    local,
    assessor,
    call,
    bash: (command, extra) => call('bash', { command }, extra),
    remove: () => removeFolder(base),
  }
}

/** The codes of a call, lead first. */
export function codesOf({ assessment }: AssessedCall): readonly string[] {
  return assessment.reasons.map((reason) => reason.code)
}

function rewrite(value: JsonValue, base: string): JsonValue {
  if (typeof value === 'string')
    return climb(value, base)
      .replaceAll(/(?<![\w.}~/-])\/(ws|home\/u|tmp|outside)(?![\w.-])/g, `${base}/$1`)
      .replaceAll('file:///home/u', `file://${base}/home/u`)
  if (Array.isArray(value)) return value.map((item) => rewrite(item, base))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, rewrite(item as JsonValue, base)]),
  )
}

// A way up from the table's workspace leads to the root; from the real one it is longer.
function climb(text: string, base: string): string {
  const up = '/..'.repeat(base.split('/').length)
  return text.replaceAll('/ws/../etc', `/ws${up}/etc`)
}
