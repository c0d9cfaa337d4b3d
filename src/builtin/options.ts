import { z } from 'zod'
import { CaissonError } from '../errors/caisson-error.ts'
import { SANDBOX_MODES } from './bash.ts'

const mode = z.enum(SANDBOX_MODES)

const schema = z.strictObject({
  bash: z
    .strictObject({
      mode: mode.default('workspace-write').describe('What a line may do that does not ask'),
      widest: mode.optional().describe('What it may ask for; the mode itself unless said'),
      memoryMb: z.int().min(16).max(4_096).default(2_048),
      pids: z.int().min(8).max(4_096).default(512),
      tmpfsMb: z.int().min(1).max(4_096).default(512),
      outputBytes: z
        .int()
        .min(1_024)
        .max(4 * 1024 * 1024)
        .default(64 * 1024),
    })
    .prefault({}),
  todo: z.strictObject({ allowParallelInProgress: z.boolean() }).default({
    allowParallelInProgress: false,
  }),
  fetch: z
    .strictObject({ allow: z.array(z.string()), maxBytes: z.int().positive().optional() })
    .optional()
    .describe('Hosts of web_fetch, in place of what the profile grants'),
})

/** What an operator settles for the first-party pack. */
export type BuiltinOptions = z.infer<typeof schema>

/** Checks the pack's `config`. Throws `CONFIG_INVALID` naming the key that is wrong. */
export function parseBuiltinOptions(config: unknown): BuiltinOptions {
  const parsed = schema.safeParse(config ?? {})
  if (!parsed.success) {
    const text = parsed.error.issues
      .map(({ path, message }) => `${path.join('.') || 'config'}: ${message}`)
      .join('; ')
    throw new CaissonError('CONFIG_INVALID', `tools 'builtin': ${text}`)
  }
  const { bash } = parsed.data
  if (SANDBOX_MODES.indexOf(bash.widest ?? bash.mode) < SANDBOX_MODES.indexOf(bash.mode)) {
    const text = `bash.widest: '${bash.widest}' is less than bash.mode '${bash.mode}'`
    throw new CaissonError('CONFIG_INVALID', `tools 'builtin': ${text}`)
  }
  return parsed.data
}
