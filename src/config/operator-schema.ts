import { z } from 'zod'
import { DIGEST } from '../loader/source-parts.ts'
import { LOG_LEVELS } from '../observe/log-level.ts'

const ms = z.number().positive().max(2_147_483_647)
const name = z.string().min(1).max(200)
const pin = z
  .union([
    z.literal('approved'),
    z.string().regex(DIGEST, "give 'approved', or a digest as `caisson list --json` shows it"),
  ])
  .describe("Refused unless it is this: a digest, or 'approved' for what was approved last")
const retry = z.strictObject({
  retries: z.int().min(0).max(100),
  minTimeoutMs: ms.optional(),
  maxTimeoutMs: ms.optional(),
  factor: z.number().min(1).max(10).optional(),
  perAttempt: z.boolean().optional(),
})

const perTool = z
  .strictObject({
    profile: name.optional().describe('Another profile for this tool alone'),
    timeoutMs: ms.optional(),
    memoryMb: z.int().min(8).max(4_096).optional(),
    retry: retry.optional(),
    idempotent: z.boolean().optional().describe('Trying it again can do no harm'),
    enabled: z.boolean().optional().describe('false leaves the tool out'),
  })
  .describe('Settings of one tool')

// A server is one process for all of its tools.
const perServerTool = perTool
  .omit({ profile: true, memoryMb: true })
  .describe('Settings of one tool')

const source = z.strictObject({
  source: z.string().min(1).describe('Module file, package folder, command manifest, or `builtin`'),
  name: name.optional().describe('How listings call it'),
  profile: name.optional().describe('Sandbox profile of its tools'),
  pin: pin.optional(),
  config: z.unknown().optional().describe('Configuration of a plugin, or of the pack'),
  timeoutMs: ms.optional(),
  memoryMb: z.int().min(8).max(4_096).optional(),
  retry: retry.optional(),
  idempotent: z.boolean().optional(),
  tools: z.record(z.string(), perTool).optional().describe('By the name of the tool'),
  enabled: z.boolean().optional().describe('false leaves the source out'),
})

const mcpServer = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).max(1_000).optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: z.string().min(1).optional().describe('Folder of the server; read-only in its sandbox'),
    url: z.url().optional().describe('Streamable HTTP, instead of a command'),
    headers: z.record(z.string(), z.string()).optional(),
    type: z.enum(['stdio', 'http', 'streamable-http']).optional(),
    profile: name.optional().describe('Default: mcp-server'),
    trusted: z.boolean().optional().describe('What it says of its tools may also lower caution'),
    timeoutMs: ms.optional().describe('Of each call; progress does not extend it'),
    startTimeoutMs: ms.optional().describe('Until it has said which tools it has; 30 000'),
    retry: retry.optional(),
    tools: z
      .record(z.string(), perServerTool)
      .optional()
      .describe('By the name `mcp__<server>__<tool>`'),
    disabled: z.boolean().optional(),
  })
  .refine((given) => (given.command === undefined) !== (given.url === undefined), {
    message: 'give a command or a url, and not both',
  })

const serve = z.strictObject({
  http: z.string().min(1).optional().describe('[host:]port of streamable HTTP; stdio unless said'),
  name: name.optional().describe('How the server calls itself'),
  maxSessions: z.int().min(1).max(10_000).default(100),
  maxBodyBytes: z
    .int()
    .min(1_024)
    .default(4 * 1024 * 1024),
  sessionIdleMs: ms.default(1_800_000),
  allowedHosts: z.array(z.string()).max(100).default([]),
  allowedOrigins: z.array(z.string()).max(100).default([]),
  tokenEnv: z.string().min(1).optional().describe('Environment variable with the bearer token'),
  drainMs: ms.default(10_000).describe('How long running calls may take to end after SIGTERM'),
  progress: z.boolean().default(true).describe('false tells clients nothing of how far calls are'),
  metrics: z
    .union([z.boolean(), z.string().min(1)])
    .default(false)
    .describe(
      'Prometheus metrics: true for /metrics of the HTTP server, or [host:]port of their own',
    ),
  logLevel: z.enum(LOG_LEVELS).default('info').describe('Log lines on standard error'),
})

/** What an operator's file says besides the options of a host. */
export const operatorSchema = z.strictObject({
  $schema: z.string().optional(),
  sources: z
    .array(z.union([z.string().min(1), source]))
    .max(10_000)
    .default([]),
  mcpServers: z.record(z.string(), mcpServer).default({}),
  serve: serve.prefault({}),
})

/** Tool sources, servers and how they are served. */
export type OperatorConfig = z.infer<typeof operatorSchema>
export type SourceEntry = z.infer<typeof source>
export type McpServerEntry = z.infer<typeof mcpServer>
