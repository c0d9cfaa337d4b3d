import type { JsonValue } from '../../../types/json.ts'

export type RuleDecision = 'deny' | 'human' | 'allow'

/** A declared rule as an operator writes it. */
export interface RuleInput {
  readonly id?: string | undefined
  /** Names, or prefixes that end in `*`. */
  readonly tools: readonly string[]
  /** What `match` looks at. Default `command` for shell tools, else `args`. */
  readonly field?: 'args' | 'command' | 'path' | 'url' | undefined
  /** RE2 syntax, case-insensitive; without it the rule covers the whole tool. */
  readonly match?: string | undefined
  /** `main`, `subagent` or an agent's id. */
  readonly agent?: string | undefined
  /** The rule holds where the match does not. */
  readonly not?: true | undefined
  /** The workspace the rule is for. */
  readonly workspace?: string | undefined
  readonly decide: RuleDecision
  readonly note?: string | undefined
}

/** Whose call a rule looks at. */
export interface RuleCaller {
  readonly agent: string | undefined
  readonly isSubagent: boolean
  readonly workspace: string
}

/** A rule that covers a call. */
export interface RuleMatch {
  readonly id: string
  readonly decide: RuleDecision
}

/** A call with the verdict its author expects of the rules. */
export interface RuleSample {
  readonly tool: string
  readonly arguments: JsonValue
  readonly agent?: string | undefined
  readonly workspace?: string | undefined
  readonly expect: RuleDecision | 'none'
}
