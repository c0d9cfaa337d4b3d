import { z } from 'zod'
import { hostSchema } from '../host/host-schema.ts'
import { approvalConfigSchema } from '../policies/auto-approval/config/schema.ts'
import { operatorSchema } from './operator-schema.ts'

const { logger: _logger, ...hostShape } = hostSchema.shape

/** Everything `caisson.config.json` may hold. Keys under `approval` are checked where they are used. */
export const fileSchema: z.ZodType = z.strictObject({ ...operatorSchema.shape, ...hostShape })

/** The JSON Schema of `caisson.config.json`, for editors. */
export function toConfigJsonSchema(): object {
  const schema = z.strictObject({
    ...operatorSchema.shape,
    ...hostShape,
    approval: z.union([z.boolean(), approvalConfigSchema]).optional(),
  })
  return {
    title: 'caisson.config.json',
    ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  }
}
