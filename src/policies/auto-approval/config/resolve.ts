import { z } from 'zod'
import { CaissonError } from '../../../errors/caisson-error.ts'
import { compileRules } from '../rules/compile.ts'
import { approvalConfigSchema } from './schema.ts'
import { parseModelUrl } from './model-url.ts'
import type { ApprovalSettings } from './settings.ts'

/** Names of tools whose arguments are command lines, so that a name alone says nothing. */
export type IsShellTool = (name: string) => boolean

/**
 * Checks and defaults the settings under `approval`. Throws one `CONFIG_INVALID` that names every
 * wrong key by its path, and a known key where one is misspelt.
 */
export function resolveApprovalSettings(
  given: unknown,
  isShellTool: IsShellTool = isShellName,
): ApprovalSettings {
  const parsed = approvalConfigSchema.safeParse(given)
  if (!parsed.success) throw invalid(parsed.error.issues.map((issue) => toText(issue, given)))
  const settings = parsed.data
  compileRules(settings.rules)
  const problems = [
    ...settings.allowlist
      .filter((name) => isShellTool(name))
      .map(
        (name) =>
          `allowlist: '${name}' runs command lines, and a name says nothing about those; ` +
          'allow them by a declared rule (approval.rules)',
      ),
    ...(['classifier', 'reviewer'] as const).flatMap((key) => {
      const problem = parseModelUrl(settings[key])
      return problem === undefined ? [] : [`${key}.baseUrl: ${problem}`]
    }),
  ]
  if (problems.length > 0) throw invalid(problems)
  return settings
}

const SHELLS: ReadonlySet<string> = new Set(['bash', 'pwsh'])

function isShellName(name: string): boolean {
  if (!name.endsWith('*') || name === '*') return SHELLS.has(name)
  return [...SHELLS].some((shell) => shell.startsWith(name.slice(0, -1)))
}

function invalid(problems: readonly string[]): CaissonError {
  const listed = problems.map((text) => `approval.${text}`)
  return new CaissonError('CONFIG_INVALID', listed.join('; '), { violations: listed })
}

function toText(issue: z.core.$ZodIssue, given: unknown): string {
  const path = issue.path.map(String).join('.')
  if (issue.code !== 'unrecognized_keys') {
    const about = aboutRule(issue.path, given)
    return path === '' ? issue.message : `${path}${about}: ${issue.message}`
  }
  const known = knownKeys(issue.path)
  return issue.keys
    .map((key) => {
      const hint = toHint(key, known)
      return `${path === '' ? key : `${path}.${key}`}${aboutRule(issue.path, given)}: unknown key${hint}`
    })
    .join('; approval.')
}

// A rule is found again by its id as well as by its place.
function aboutRule(path: readonly PropertyKey[], given: unknown): string {
  if (path[0] !== 'rules' || typeof path[1] !== 'number') return ''
  const rules = (Object(given) as { readonly rules?: readonly unknown[] }).rules
  const { id } = Object(rules?.[path[1]]) as { readonly id?: unknown }
  return typeof id === 'string' ? ` (rule '${id}')` : ''
}

function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  let at = z.toJSONSchema(approvalConfigSchema, { io: 'input', unrepresentable: 'any' }) as {
    readonly properties?: Record<string, unknown>
    readonly items?: unknown
  }
  for (const key of path) {
    at = Object(typeof key === 'number' ? at.items : at.properties?.[String(key)]) as typeof at
  }
  return Object.keys(at.properties ?? {})
}

/** What an error adds for a misspelt word: the known one that it is closest to, or nothing. */
export function toHint(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  return near === undefined ? '' : `; did you mean '${near}'?`
}

function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  const ranked = known
    .map((name) => ({ name, far: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
  const [best] = ranked
  return best !== undefined && best.far <= limit ? best.name : undefined
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next[j] = Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    }
    row = next
  }
  return row[b.length] ?? 0
}
