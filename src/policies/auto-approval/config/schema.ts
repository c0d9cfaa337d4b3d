import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { acceptedSwitches, SWITCH_LABELS } from '../categories.ts'
import type { ApprovalSettings, GuardSettings } from './settings.ts'

const seconds = (initial: number, min = 1, max = 3_600): z.ZodDefault<z.ZodNumber> =>
  z.number().min(min).max(max).default(initial)
const flag = (initial: boolean): z.ZodDefault<z.ZodBoolean> => z.boolean().default(initial)
const names = z.array(z.string().min(1).max(200)).max(1_000).default([])
const variable = /^[A-Za-z_][A-Za-z0-9_]*$/

const model = {
  baseUrl: z.url().max(2_000),
  model: z.string().min(1).max(200),
  apiKeyEnv: z.string().regex(variable, 'must name an environment variable').optional(),
  jsonMode: flag(true),
  allowPrivateHttp: flag(false),
}

const rule = z.strictObject({
  id: z.string().min(1).max(200).optional(),
  tools: z.array(z.string().min(1).max(200)).min(1, 'name at least one tool'),
  field: z.enum(['args', 'command', 'path', 'url']).optional(),
  match: z.string().max(2_000).optional(),
  agent: z.string().min(1).max(200).optional(),
  not: z.literal(true).optional(),
  workspace: z.string().min(1).optional(),
  decide: z.enum(['deny', 'human', 'allow']),
  note: z.string().max(1_000).optional(),
})

const switches = Object.fromEntries(
  SWITCH_LABELS.map((label) => [label, z.enum(acceptedSwitches(label)).optional()]),
)

/** The keys under `approval` of a configuration, with their defaults. */
export const approvalConfigSchema: z.ZodType<ApprovalSettings> = z.strictObject({
  enabled: flag(true),
  positionMode: z.enum(['workspace', 'anywhere']).default('workspace'),
  trustedDirs: z
    .array(z.string().refine(isAbsolute, 'must be absolute paths'))
    .max(100)
    .default([]),
  trustedHosts: names,
  categories: z.strictObject(switches).default({}),
  denyList: names,
  allowlist: names,
  humanOnlyList: names,
  rules: z.array(rule).max(1_000).default([]),
  rulesDryRun: flag(false),
  timeoutAction: z.enum(['reject', 'allow-low', 'allow-medium']).default('reject'),
  lowSeconds: seconds(15),
  mediumSeconds: seconds(30),
  highSeconds: seconds(60),
  humanDeadlineSeconds: seconds(300, 10, 86_400),
  promptDelayMs: z.number().min(0).max(10_000).default(1_500),
  defaultReviewMode: z.enum(['smart', 'manual', 'unattended']).default('smart'),
  loopThreshold: z.int().min(0).max(50).default(10),
  breaker: z
    .strictObject({
      maxConsecutive: z.int().min(0).max(1_000).default(3),
      maxTotal: z.int().min(0).max(1_000).default(20),
    })
    .prefault({}),
  classifier: z
    .strictObject({
      ...model,
      timeoutMs: z.int().min(100).max(20_000).default(8_000),
      maxTokens: z.int().min(64).max(4_096).default(1_024),
    })
    .optional(),
  reviewer: z
    .strictObject({
      ...model,
      attemptSeconds: z.number().min(1).max(20).default(5),
      retries: z.int().min(0).max(2).default(1),
      maxTokens: z.int().min(64).max(8_192).default(2_048),
      from: z.enum(['LOW', 'MEDIUM', 'HIGH']).default('LOW'),
      decides: z.enum(['none', 'LOW', 'MEDIUM']).default('MEDIUM'),
      safetyText: z.string().max(2_000).default(''),
    })
    .optional(),
  learning: z
    .strictObject({
      enabled: flag(false),
      threshold: z.int().min(2).max(10).default(3),
      days: z.int().min(1).max(365).default(30),
    })
    .prefault({}),
  redactResults: z.enum(['off', 'shapes', 'full']).default('shapes'),
  notices: flag(true),
  onboarding: flag(true),
  rejectGuidance: flag(true),
  audit: z
    .strictObject({
      maxBytes: z
        .int()
        .min(64 * 1_024)
        .max(1_024 ** 3)
        .default(5 * 1_024 ** 2),
      keep: z.int().min(1).max(100).default(5),
      sync: z.enum(['data', 'none']).default('data'),
    })
    .prefault({}),
  answerers: z
    .strictObject({
      terminal: flag(true),
      mcp: z.strictObject({ enabled: flag(true), locked: flag(false) }).prefault({}),
      console: z
        .strictObject({ enabled: flag(false), port: z.int().min(0).max(65_535).default(0) })
        .prefault({}),
    })
    .prefault({}),
})

/** The keys under `guards` of a configuration. */
export const guardConfigSchema: z.ZodType<GuardSettings> = z.strictObject({
  credentialReads: z.enum(['deny', 'ask']).default('deny'),
  protectedNames: names,
})
