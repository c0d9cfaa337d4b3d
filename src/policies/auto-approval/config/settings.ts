import type { PositionMode, SwitchLabel, CategorySwitch } from '../assessor-types.ts'
import type { RuleInput } from '../rules/types.ts'

export type TimeoutAction = 'reject' | 'allow-low' | 'allow-medium'
export type ReviewMode = 'smart' | 'manual' | 'unattended'
export type RedactionMode = 'off' | 'shapes' | 'full'

/** Where a model answers, and within what. Times are milliseconds unless the name says otherwise. */
export interface ModelSettings {
  readonly baseUrl: string
  readonly model: string
  /** Environment variable that holds the key. */
  readonly apiKeyEnv?: string | undefined
  readonly jsonMode: boolean
  /** Plain http to private addresses besides loopback. */
  readonly allowPrivateHttp: boolean
  readonly maxTokens: number
}

export interface ClassifierSettings extends ModelSettings {
  readonly timeoutMs: number
}

export interface ReviewerSettings extends ModelSettings {
  readonly attemptSeconds: number
  readonly retries: number
  readonly from: 'LOW' | 'MEDIUM' | 'HIGH'
  readonly decides: 'none' | 'LOW' | 'MEDIUM'
  readonly safetyText: string
}

/** Everything under `approval`, with defaults filled in. */
export interface ApprovalSettings {
  readonly enabled: boolean
  readonly positionMode: PositionMode
  readonly trustedDirs: readonly string[]
  readonly trustedHosts: readonly string[]
  readonly categories: Readonly<Partial<Record<SwitchLabel, CategorySwitch>>>
  readonly denyList: readonly string[]
  readonly allowlist: readonly string[]
  readonly humanOnlyList: readonly string[]
  readonly rules: readonly RuleInput[]
  readonly rulesDryRun: boolean
  readonly timeoutAction: TimeoutAction
  readonly lowSeconds: number
  readonly mediumSeconds: number
  readonly highSeconds: number
  readonly humanDeadlineSeconds: number
  readonly promptDelayMs: number
  readonly defaultReviewMode: ReviewMode
  readonly loopThreshold: number
  readonly breaker: { readonly maxConsecutive: number; readonly maxTotal: number }
  readonly classifier?: ClassifierSettings | undefined
  readonly reviewer?: ReviewerSettings | undefined
  readonly learning: {
    readonly enabled: boolean
    readonly threshold: number
    readonly days: number
  }
  readonly redactResults: RedactionMode
  readonly notices: boolean
  readonly onboarding: boolean
  readonly rejectGuidance: boolean
  readonly audit: {
    readonly maxBytes: number
    readonly keep: number
    readonly sync: 'data' | 'none'
  }
  readonly answerers: {
    readonly terminal: boolean
    readonly mcp: { readonly enabled: boolean; readonly locked: boolean }
    readonly console: { readonly enabled: boolean; readonly port: number }
  }
}

/** Settings as an operator writes them: everything may be left out. */
export type ApprovalConfig = DeepPartial<ApprovalSettings>

type DeepPartial<T> = T extends readonly (infer _Item)[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T

/** Settings under `guards`. */
export interface GuardSettings {
  readonly credentialReads: 'deny' | 'ask'
  readonly protectedNames: readonly string[]
}
