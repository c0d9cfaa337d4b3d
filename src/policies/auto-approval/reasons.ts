import type { Category, Reason, Severity, Target, Verdict } from './types.ts'

/** What a code stands for; nothing else decides severity, lock or category. */
export interface ReasonFacts {
  readonly verdict: Verdict
  readonly severity: Severity
  readonly locked: boolean
  readonly category: Category | null
}

/** Highest precedence first; the last two never hide another label. */
export const CATEGORIES: readonly Category[] = [
  'dynamicCode',
  'privilege',
  'delete',
  'disk',
  'protected',
  'network',
  'gitPush',
  'publish',
  'gitLocal',
  'edit',
  'build',
  'read',
  'internal',
  'unknown',
]

/** Strictest first. */
export const VERDICTS: readonly Verdict[] = ['deny', 'ask-l', 'ask-h', 'ask-e', 'allow']

type Codes = Partial<Record<Category | 'none', string>>

const ALLOW: Codes = {
  read: 'ROUTINE_READ GIT_READ TEXT_ONLY VERSION_PROBE',
  edit: 'ROUTINE_WRITE',
  build: 'BUILD',
  delete: 'ARTIFACT_DELETE',
  network: 'SEARCH_WEB',
  dynamicCode: 'CODE_IN_ISOLATE',
  internal: 'INTERNAL',
}
const ELIGIBLE: Codes = {
  read: 'OUTSIDE_READ DYNAMIC_READ',
  protected: 'PROTECTED_READ',
  network: 'NETWORK PACKAGE_INSTALL',
  gitLocal: 'GIT_CHANGE',
  gitPush: 'GIT_PUSH',
  privilege: 'INLINE_SOURCE PROGRAM_FILE CONTAINER',
  edit: 'ATTR_CHANGE EXTRACT',
  build: 'UNCONFINED_BUILD',
  unknown: 'UNKNOWN_COMMAND UNCLASSIFIED_TOOL',
}
const HUMAN: Codes = {
  unknown: 'UNPARSABLE DYNAMIC_COMMAND BAD_ARGUMENTS',
  privilege:
    'REDEFINES ENV_HOOK HAZARD_FLAG HIDDEN_SOURCE FOREIGN_SHELL LIVE_TERMINAL MODE_CHANGE INFRA GLOBAL_INSTALL NAME_RISK',
  protected: 'ENV_DUMP SECRET_VAR RECURSIVE_READ LINK_UNKNOWN',
  edit: 'OUTSIDE_WRITE DYNAMIC_WRITE LINK_CREATE HARD_LINK',
  network: 'UPLOAD RAW_SOCKET REMOTE_RUN',
  gitPush: 'FORCE_PUSH',
  publish: 'PUBLISH',
  dynamicCode: 'CODE_LOAD',
}
const LOCKED: Codes = {
  protected: 'SECRET_READ PROTECTED_WRITE CREDENTIAL_ARGUMENT',
  delete: 'DELETE HISTORY_LOSS',
  disk: 'DISK',
  privilege: 'PERSISTENCE HOST_ACCESS',
}
const FATAL: Codes = {
  none:
    'CREDENTIAL_EGRESS CREDENTIAL_STORE STATE_DIR MAGIC_PATH CRITICAL_PATH DEVICE_WRITE TARGET_UNREADABLE ' +
    'PRIVILEGE_COMMAND SYSTEM_CONTROL HOME_DELETION EXFILTRATION METADATA_ENDPOINT REMOTE_SHELL FORK_BOMB ' +
    'LINK_ESCAPE LINK_UNRESOLVED RULE_DENY LIST_DENY CATEGORY_DENY CLASSIFIER_DENY REVIEW_DENY HUMAN_DENY ' +
    'TIMEOUT_DENY UNATTENDED_DENY LOOP_DENY AUDIT_UNAVAILABLE TARGET_CHANGED REDACTION_FAILED',
}

const TABLE: ReadonlyMap<string, ReasonFacts> = new Map([
  ...rows(ALLOW, { verdict: 'allow', severity: 'low', locked: false }),
  ...rows(ELIGIBLE, { verdict: 'ask-e', severity: 'medium', locked: false }),
  ...rows(HUMAN, { verdict: 'ask-h', severity: 'high', locked: false }),
  ...rows(LOCKED, { verdict: 'ask-l', severity: 'high', locked: true }),
  ...rows(FATAL, { verdict: 'deny', severity: 'fatal', locked: false }),
])
const UNKNOWN: ReasonFacts = {
  verdict: 'ask-h',
  severity: 'high',
  locked: false,
  category: 'unknown',
}

/** Every code of the closed table. */
export const REASON_CODES: readonly string[] = [...TABLE.keys()]

/** The facts of a code; a code that is not in the table counts as a high reason. */
export function factsOf(code: string): ReasonFacts {
  return TABLE.get(code) ?? UNKNOWN
}

/** A reason with the facts of its code. `category` replaces the one of the table for `NAME_RISK`. */
export function toReason(code: string, targets: readonly Target[], category?: Category): Reason {
  const facts = factsOf(code)
  return {
    code,
    severity: facts.severity,
    category: category ?? facts.category,
    locked: facts.locked,
    targets,
  }
}

/** The verdict that one reason stands for. */
export function verdictOf(reason: Reason): Verdict {
  return factsOf(reason.code).verdict
}

/** Lead reason first: strictest verdict, then category precedence, then position. */
export function orderReasons(reasons: readonly Reason[]): readonly Reason[] {
  return reasons.toSorted(
    (a, b) =>
      VERDICTS.indexOf(verdictOf(a)) - VERDICTS.indexOf(verdictOf(b)) ||
      rankOf(a.category) - rankOf(b.category),
  )
}

/** The highest label among the reasons; `unknown` when there is none. */
export function leadCategory(reasons: readonly Reason[]): Category {
  return (
    CATEGORIES.find((label) => reasons.some((reason) => reason.category === label)) ?? 'unknown'
  )
}

function rankOf(category: Category | null): number {
  return category === null ? -1 : CATEGORIES.indexOf(category)
}

function rows(
  codes: Codes,
  facts: Omit<ReasonFacts, 'category'>,
): readonly (readonly [string, ReasonFacts])[] {
  return Object.entries(codes).flatMap(([label, names]) =>
    names.split(' ').map((code) => [code, { ...facts, category: toCategory(label) }] as const),
  )
}

function toCategory(label: string): Category | null {
  return CATEGORIES.find((category) => category === label) ?? null
}
