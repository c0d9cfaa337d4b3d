import type { Assessor } from '../assessor-types.ts'
import { compileRules } from './compile.ts'
import type { RuleInput, RuleSample } from './types.ts'

/** What the rules make of one sample. */
export interface SampleReport {
  readonly sample: RuleSample
  /** Id, or `rules.<index>`, of the rule that covers it. */
  readonly rule: string | undefined
  readonly verdict: RuleSample['expect']
  readonly ok: boolean
}

/**
 * Runs samples against declared rules, without running anything else. Throws `CONFIG_INVALID` for
 * rules that do not compile.
 */
export function testRules(
  rules: readonly RuleInput[],
  samples: readonly RuleSample[],
  place: { readonly assessor: Pick<Assessor, 'assess'>; readonly workspace: string },
): SampleReport[] {
  const compiled = compileRules(rules)
  return samples.map((sample) => {
    const workspace = sample.workspace ?? place.workspace
    const call = { name: sample.tool, arguments: sample.arguments }
    const assessed = place.assessor.assess({ ...call, cwd: workspace })
    const { agent } = sample
    const caller = {
      agent: agent === 'main' || agent === 'subagent' ? undefined : agent,
      isSubagent: agent === 'subagent',
      workspace,
    }
    const match = compiled.match(call, assessed, caller)
    const verdict = match?.decide ?? 'none'
    return { sample, rule: match?.id, verdict, ok: verdict === sample.expect }
  })
}
