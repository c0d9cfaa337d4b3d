import { z } from 'zod'
import { TOOL_CLASSES } from '../assessment/descriptors.ts'
import type { ToolDescriptor } from '../assessor-types.ts'

const name = z.string().min(1).max(200)

/** How an operator classifies a tool. */
export const toolDescriptorSchema: z.ZodType<ToolDescriptor> = z
  .strictObject({
    class: z.enum([...TOOL_CLASSES]),
    paths: z.array(name).max(50).optional(),
    channel: z.enum(['internal', 'external', 'local']).optional(),
    pollable: z.boolean().optional(),
  })
  .transform((given) => Object.fromEntries(Object.entries(given)) as unknown as ToolDescriptor)

/** What is wrong with a descriptor, as lines that begin with `policy`; and the descriptor, if nothing is. */
export function parseToolDescriptor(given: unknown): {
  readonly policy?: ToolDescriptor
  readonly violations: readonly string[]
} {
  if (given === undefined) return { violations: [] }
  const parsed = toolDescriptorSchema.safeParse(given)
  if (parsed.success) return { policy: parsed.data, violations: [] }
  const violations = parsed.error.issues.map(
    ({ path, message }) => `${['policy', ...path.map(String)].join('.')}: ${message}`,
  )
  return { violations }
}
