import { z } from 'zod'
import { isCaissonError } from '../errors/caisson-error.ts'
import { isHookingEnvName } from './env-names.ts'
import { parseOriginPattern } from './origin-pattern.ts'
import { parsePathPattern } from './path-pattern.ts'

const milliseconds = z.number().positive().max(2_147_483_647)
const bytes = z.int().positive()
const MB = 1024 * 1024
/** What one brokered answer may hold; it has to fit a frame. */
const MAX_BROKERED_BYTES = 32 * MB
const NEVER_METHODS = ['CONNECT', 'TRACE', 'TRACK']

const origin = z
  .string()
  .check((ctx) => note(ctx, () => parseOriginPattern(ctx.value)))
  .describe('Origin, e.g. https://api.example.com, or https://*.example.com for its subdomains')
const readable = z
  .string()
  .check((ctx) => note(ctx, () => parsePathPattern(ctx.value)))
  .describe('Glob below a root, e.g. workspace:/src/** or package:/**')
const writable = readable
  .refine((text) => !text.startsWith('package:'), 'the files of a tool are never written')
  .describe('Glob below the workspace, e.g. workspace:/out/**')
const method = z
  .string()
  .regex(/^[A-Z][A-Z-]{0,31}$/, 'methods are written in capitals')
  .refine((name) => !NEVER_METHODS.includes(name), 'this method is never granted')
const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'letters, digits and underscores')
const envValue = z.union([
  z.string(),
  z.strictObject({ secret: z.string().min(1).describe('Name of a secret of the host') }),
])

/** What a profile file may say; every unknown key is an error that names it. */
export const profileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/, 'lower-case letters, digits and dashes'),
    description: z.string().max(1_024).default(''),
    engine: z.enum(['isolate', 'thread', 'process']),
    isolation: z
      .enum(['strict', 'dense'])
      .optional()
      .describe(
        'strict, the default: one live call per runner. dense: several, each in an isolate',
      ),
    state: z
      .enum(['fresh', 'frozen', 'sticky'])
      .default('fresh')
      .describe('Isolate engine: what calls of one source share'),
    limits: z
      .strictObject({
        timeoutMs: milliseconds.default(30_000),
        graceMs: milliseconds
          .optional()
          .describe('Between the abort and the kill; 50, for the process engine 2000'),
        memoryMb: z.int().min(8).max(4_096).default(64),
        cpuMs: milliseconds.optional(),
        outputBytes: bytes.default(MB),
        logBytes: z
          .int()
          .nonnegative()
          .default(64 * 1024),
        capabilityCalls: z.int().nonnegative().max(1_000_000).default(1_000),
      })
      .prefault({}),
    fetch: z
      .strictObject({
        allow: z.array(origin).max(1_000).default([]),
        methods: z.array(method).max(64).default(['GET', 'HEAD']),
        maxBytes: bytes
          .max(MAX_BROKERED_BYTES)
          .default(2 * MB)
          .describe('Bytes of one body, sent or received and decoded'),
      })
      .optional(),
    fs: z
      .strictObject({
        read: z.array(readable).max(1_000).default([]),
        write: z.array(writable).max(1_000).default([]),
        maxBytes: bytes
          .max(MAX_BROKERED_BYTES)
          .default(4 * MB)
          .describe('Bytes of one file, read or written'),
      })
      .optional(),
    kv: z
      .strictObject({
        quotaBytes: z
          .int()
          .nonnegative()
          .max(16 * MB)
          .default(64 * 1024)
          .describe('Keys and values of one tool and agent'),
      })
      .optional(),
    env: z.record(envName, envValue).default({}),
    retry: z.strictObject({ retries: z.int().nonnegative().max(100).default(0) }).prefault({}),
    confinement: z
      .enum(['required', 'preferred', 'none'])
      .optional()
      .describe(
        'Bubblewrap around what a tool runs in. Isolate engine: preferred, the default, required or none. Process engine: required, the default, or none',
      ),
    kernelLimits: z
      .enum(['required', 'preferred'])
      .optional()
      .describe('Whether a cgroup must hold memory, CPU and processes; preferred by default'),
    jit: z
      .boolean()
      .optional()
      .describe('Isolate engine: false lets V8 interpret only; slower, and less to attack'),
    process: z
      .strictObject({
        network: z
          .enum(['none', 'broker'])
          .default('none')
          .describe('broker: what fetch allows, through a proxy of the host; none: nothing at all'),
        pids: z
          .int()
          .min(1)
          .max(4_096)
          .default(32)
          .describe('Processes and threads of one sandbox'),
        tmpfsMb: z
          .int()
          .min(1)
          .max(4_096)
          .default(64)
          .describe('Each of /tmp, the home folder and /dev/shm'),
      })
      .optional(),
  })
  .check((ctx) => {
    const { env, engine, fetch, fs, confinement, kernelLimits, isolation, jit } = ctx.value
    const refuse = (path: string[], message: string): void =>
      void ctx.issues.push({ code: 'custom', path, message, input: ctx.value })
    if (engine !== 'isolate' && ctx.value.state !== 'fresh')
      refuse(['state'], 'only the isolate engine can keep this')
    for (const [name, value] of Object.entries(env)) {
      if (isHookingEnvName(name))
        refuse(['env', name], 'this name makes programs run or load something; it is never granted')
      if (engine === 'thread' && typeof value !== 'string')
        refuse(['env', name], 'a thread makes its own requests; nobody could put the secret in')
    }
    if (engine !== 'isolate') {
      if (isolation === 'dense') refuse(['isolation'], 'only the isolate engine can share a runner')
      if (jit === false) refuse(['jit'], 'only the isolate engine can switch it off')
    }
    if (isolation === 'dense' && ctx.value.state !== 'fresh')
      refuse(['state'], 'calls that share a runner have a context each')
    if (isolation === 'dense' && ctx.value.limits.cpuMs !== undefined)
      refuse(
        ['limits', 'cpuMs'],
        'in a runner that calls share nobody can tell whose CPU time it is',
      )
    if (engine === 'process') {
      if (confinement === 'preferred')
        refuse(['confinement'], 'a program is confined or it is not: required or none')
      if (confinement === 'none' && fs !== undefined)
        refuse(['fs'], 'without confinement a program has every file, so this would bind nobody')
      if (confinement === 'none' && kernelLimits === 'required')
        refuse(['kernelLimits'], 'without confinement no limit holds')
      if (confinement === 'none' && ctx.value.process?.network === 'broker')
        refuse(['process', 'network'], 'without confinement a program has the whole network')
      return
    }
    if (ctx.value.process !== undefined)
      refuse(['process'], 'only the process engine has these limits')
    if (engine !== 'thread') return
    if (kernelLimits === 'required') refuse(['kernelLimits'], 'no cgroup can hold a thread')
    if (confinement === 'required') refuse(['confinement'], 'nothing can confine a thread')
    const why = 'a thread has all of Node, so this would bind nobody'
    if (fetch !== undefined) refuse(['fetch'], why)
    if (fs !== undefined) refuse(['fs'], why)
  })

function note(ctx: z.core.ParsePayload<string>, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!isCaissonError(error)) throw error
    ctx.issues.push({ code: 'custom', message: error.message, input: ctx.value })
  }
}
