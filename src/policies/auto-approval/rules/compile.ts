import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { CaissonError } from '../../../errors/caisson-error.ts'
import type { JsonValue } from '../../../types/json.ts'
import { toCanonicalJson } from '../../canonical-json.ts'
import { compileNameList, type NameList } from '../decide/lists.ts'
import type { AssessedCall } from '../types.ts'
import type { RuleCaller, RuleDecision, RuleInput, RuleMatch } from './types.ts'

/** Rules ready to be asked. */
export interface CompiledRules {
  /** The strictest rule that covers the call, the first of equals; undefined when none does. */
  match(
    call: { readonly name: string; readonly arguments: JsonValue },
    assessed: AssessedCall,
    caller: RuleCaller,
  ): RuleMatch | undefined
}

// Loaded with the first pattern: most hosts have no rules.
const require = createRequire(import.meta.url)
const MAX_PROGRAM = 10_000
const STRICTNESS: Readonly<Record<RuleDecision, number>> = { deny: 2, human: 1, allow: 0 }
/** What an allow rule never covers: the words it compared are not what would run. */
const UNSURE: ReadonlySet<string> = new Set(['DYNAMIC_COMMAND', 'ENV_HOOK', 'REDEFINES'])

/**
 * Compiles rules of checked shape. Throws one `CONFIG_INVALID` that names every rule whose pattern a
 * linear-time matcher cannot run, by index, id and key; then none of them is in force.
 */
export function compileRules(rules: readonly RuleInput[]): CompiledRules {
  const problems: string[] = []
  const compiled = rules.map((rule, index) => compileRule(rule, index, problems))
  if (problems.length > 0) {
    throw new CaissonError('CONFIG_INVALID', problems.join('; '), { violations: problems })
  }
  return {
    match(call, assessed, caller) {
      let found: CompiledRule | undefined
      for (const rule of compiled) {
        if (found !== undefined && STRICTNESS[rule.decide] <= STRICTNESS[found.decide]) continue
        if (covers(rule, call, assessed, caller)) found = rule
      }
      return found === undefined ? undefined : { id: found.id, decide: found.decide }
    },
  }
}

interface CompiledRule {
  readonly id: string
  readonly decide: RuleDecision
  readonly names: NameList
  readonly input: RuleInput
  readonly test: ((text: string) => boolean) | undefined
}

function compileRule(rule: RuleInput, index: number, problems: string[]): CompiledRule {
  const { match } = rule
  let test: CompiledRule['test']
  if (match !== undefined) {
    try {
      test = compilePattern(match)
    } catch (error) {
      const cause = error instanceof Error ? error.message : 'it does not compile'
      const id = rule.id === undefined ? '' : ` (rule '${rule.id}')`
      problems.push(`approval.rules.${index}${id}.match: ${cause}; patterns have RE2 syntax`)
    }
  }
  return {
    id: rule.id ?? `rules.${index}`,
    decide: rule.decide,
    names: compileNameList(rule.tools),
    input: rule,
    test,
  }
}

function compilePattern(pattern: string): (text: string) => boolean {
  const { RE2JS } = require('re2js') as typeof import('re2js')
  const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
  if (compiled.programSize() > MAX_PROGRAM) throw new Error('the pattern is too large')
  return (text) => compiled.test(text)
}

function covers(
  rule: CompiledRule,
  call: { readonly name: string; readonly arguments: JsonValue },
  assessed: AssessedCall,
  caller: RuleCaller,
): boolean {
  const { input, decide, test } = rule
  if (!rule.names.has(call.name) || !isFor(input, caller)) return false
  if (decide === 'allow' && !isReadable(assessed)) return false
  if (test === undefined) return true
  const isHit = (value: string): boolean => test(value) !== (input.not === true)
  const values = valuesOf(rule, call, assessed)
  if (decide === 'allow') return values.length > 0 && values.every(isHit)
  return values.length === 0 ? input.not === true : values.some(isHit)
}

function isFor({ agent, workspace }: RuleInput, caller: RuleCaller): boolean {
  if (workspace !== undefined && resolve(workspace) !== resolve(caller.workspace)) return false
  if (agent === undefined) return true
  if (agent === 'main') return !caller.isSubagent
  return agent === 'subagent' ? caller.isSubagent : agent === caller.agent
}

function isReadable({ shell }: AssessedCall): boolean {
  if (shell === undefined) return true
  if (!shell.parsed || shell.segments.length === 0) return false
  return shell.segments.every(({ codes }) => !codes.some((code) => UNSURE.has(code)))
}

function valuesOf(
  { input, decide }: CompiledRule,
  call: { readonly arguments: JsonValue },
  { shell, targets, urls }: AssessedCall,
): readonly string[] {
  switch (input.field ?? (shell === undefined ? 'args' : 'command')) {
    case 'command': {
      if (shell === undefined) return []
      const texts = shell.segments.map(({ text }) => text)
      // A refusal may also look at the line as it was written; a permission must not.
      return decide === 'allow' ? texts : [...texts, shell.line]
    }
    case 'path':
      return targets.flatMap(({ path, resolved }) =>
        [path, resolved].filter((value) => value !== undefined),
      )
    case 'url':
      return urls
    default:
      return [toCanonicalJson(call.arguments)]
  }
}
