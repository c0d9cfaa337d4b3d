import { z } from 'zod'
import { escapeToLine } from '../cards/escape.ts'
import { toIssueTexts } from '../config/issue-text.ts'
import { readJsonc } from '../config/parse-jsonc.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import { createToolHost } from '../host/create-tool-host.ts'
import type { RuleInput, RuleSample } from '../policies/auto-approval/rules/types.ts'
import { COMMAND_APPROVAL } from './attach-approval.ts'
import type { Output } from './output.ts'

export interface PolicyTestOptions {
  readonly file: string
  readonly config?: string
  readonly workspace?: string
}

const sampleSchema = z.strictObject({
  tool: z.string().min(1),
  arguments: z.json(),
  agent: z.string().min(1).optional(),
  workspace: z.string().min(1).optional(),
  expect: z.enum(['allow', 'deny', 'human', 'none']),
})
const samplesSchema = z.array(sampleSchema).min(1, 'name at least one sample')
const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  rules: z.array(z.looseObject({})).optional(),
  samples: samplesSchema,
})

/** `caisson policy test`: samples against declared rules; 1 when one has another verdict. */
export async function runPolicyTest(output: Output, options: PolicyTestOptions): Promise<number> {
  const { rules, samples } = readSamples(options.file)
  await using host = createToolHost({
    approval: COMMAND_APPROVAL,
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
  })
  const reports = host.approval.testRules(samples, rules)
  const failed = reports.filter(({ ok }) => !ok).length
  if (output.json) output.object({ samples: reports, failed })
  else {
    for (const { sample, rule, verdict, ok } of reports) {
      const by = rule === undefined ? '' : ` by ${escapeToLine(rule)}`
      const wanted = ok ? '' : `, expected ${sample.expect}`
      const args = escapeToLine(JSON.stringify(sample.arguments)).slice(0, 100)
      output.line(
        `${ok ? '✔' : '✘'} ${escapeToLine(sample.tool)} ${args}: ${verdict}${by}${wanted}`,
      )
    }
    output.line(`${reports.length - failed} of ${reports.length} samples as expected`)
  }
  return failed > 0 ? 1 : 0
}

function readSamples(file: string): {
  readonly rules: RuleInput[] | undefined
  readonly samples: RuleSample[]
} {
  const given = readJsonc(file, 'samples')
  const schema = Array.isArray(given) ? samplesSchema : fileSchema
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const text = toIssueTexts(parsed.error, schema).join('; ')
    throw new CaissonError('CONFIG_INVALID', `samples ${file}: ${text}`)
  }
  if (Array.isArray(parsed.data)) return { rules: undefined, samples: parsed.data as RuleSample[] }
  const { rules, samples } = parsed.data
  return { rules: rules as RuleInput[] | undefined, samples: samples as RuleSample[] }
}
