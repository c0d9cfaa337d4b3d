import { z } from 'zod'
import { toolDescriptorSchema } from '../policies/auto-approval/config/descriptor.ts'
import { guardConfigSchema } from '../policies/auto-approval/config/schema.ts'
import { secretsSchema } from './resolve-secrets.ts'

const ms = z.number().positive().max(2_147_483_647)
const count = z.int().positive()
/** The options of a host with their defaults; keys under `approval` are checked where they are used. */
export const hostSchema = z.strictObject({
  profiles: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).default([]),
  workspace: z.string().min(1).optional(),
  stateDir: z.string().min(1).optional(),
  secrets: secretsSchema.default({}),
  maxRunners: count.max(256).optional(),
  callsPerRunner: count.default(5_000),
  maxQueue: count.default(1_000),
  queueTimeoutMs: ms.default(10_000),
  policyTimeoutMs: ms.default(30_000),
  maxParallelToolCalls: count.default(10),
  readBeforeEdit: z.boolean().default(true),
  codeMode: z
    .strictObject({
      computeMs: ms.default(60_000),
      maxWallMs: ms.default(600_000),
      maxOutputBytes: count.default(8_388_608),
      maxParallelSubCalls: count.default(10),
      memoryMb: z.int().min(8).max(4_096).default(128),
    })
    .prefault({}),
  defaults: z
    .strictObject({
      timeoutMs: ms.default(30_000),
      memoryMb: z.int().min(8).max(4_096).optional(),
      profile: z.string().default('pure'),
      pin: z.literal('approved').optional(),
    })
    .prefault({}),
  approval: z.union([z.boolean(), z.looseObject({})]).optional(),
  guards: guardConfigSchema.prefault({} as never),
  tools: z
    .record(z.string(), z.strictObject({ policy: toolDescriptorSchema.optional() }))
    .default({}),
  telemetry: z
    .union([z.boolean(), z.strictObject({ content: z.boolean().default(false) })])
    .default(true),
  logger: z.custom<(line: string) => void>((value) => typeof value === 'function').optional(),
})
