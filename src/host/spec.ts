import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { CaissonError } from '../errors/caisson-error.ts'
import type { ToolDescriptor } from '../policies/auto-approval/assessor-types.ts'
import type { ApprovalConfig, GuardSettings } from '../policies/auto-approval/config/settings.ts'
import { APPROVAL_SEAMS, type ApprovalSeams } from '../policies/auto-approval/seams.ts'
import type { CodeModeSettings } from './code-mode.ts'
import { hostSchema } from './host-schema.ts'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { readConfig } from './read-config.ts'
import { toIssueTexts } from '../config/issue-text.ts'
import type { z } from 'zod'
import { resolveSecrets, type ResolvedSecrets, type SecretOptions } from './resolve-secrets.ts'

/** Options of `createToolHost`; every one has a default. Times are milliseconds. */
export interface HostOptions {
  /** Path of a JSON file with any of the options below but `logger`, or such an object; explicit options win. */
  readonly config?: string | object
  /** Profile folders or profile objects, besides the shipped ones; a later one of a name wins. */
  readonly profiles?: readonly (string | object)[]
  /** Folder that relative sources are resolved against. Default: the current folder. */
  readonly workspace?: string
  /** Folder for what tools keep between calls (kv). Default: kept in memory, gone with the host. */
  readonly stateDir?: string
  /** Secrets that profiles name in `env`; tools see stand-ins of them. */
  readonly secrets?: Readonly<Record<string, SecretOptions>>
  /** Isolate runners that may run calls at once. Default: the number of cores, at least 2. */
  readonly maxRunners?: number
  /** Calls after which an isolate runner is replaced; 1 gives every call an isolate of its own. Default 5 000. */
  readonly callsPerRunner?: number
  /** Calls that may wait for a slot; one agent's may be 100, or a tenth if that is more. Default 1 000. */
  readonly maxQueue?: number
  /** Default 10 000. */
  readonly queueTimeoutMs?: number
  /** Deadline of each policy phase; waiting for approval does not count. Default 30 000. */
  readonly policyTimeoutMs?: number
  /** Bodies of one step that may overlap. Default 10. */
  readonly maxParallelToolCalls?: number
  /** Limits of programs of Code Mode. */
  readonly codeMode?: Partial<CodeModeSettings>
  /** Whether an agent must have read a file as it is before it may change it. Default true. */
  readonly readBeforeEdit?: boolean
  readonly defaults?: {
    /** Deadline of sandboxed tools that ask for none. Default 30 000. */
    readonly timeoutMs?: number
    /** Replaces every profile's `limits.memoryMb`. */
    readonly memoryMb?: number
    /** Profile of loaded sources. Default `pure`. */
    readonly profile?: string
    /** `approved`: module files, packages and commands load as they were approved and not otherwise. */
    readonly pin?: 'approved'
  }
  /** Who decides about calls that are more than routine; `true` for the defaults. Default: off. */
  readonly approval?: boolean | ApprovalConfig
  /** What the guards of every host do beyond their fixed rules. */
  readonly guards?: Partial<GuardSettings>
  /** What the operator says of single tools, by their names. */
  readonly tools?: Readonly<Record<string, { readonly policy?: ToolDescriptor }>>
  /** Called with every diagnostic. Default: nothing is printed. */
  readonly logger?: (line: string) => void
}

/** The same with everything decided. */
export interface HostSpec {
  readonly profileFolders: readonly string[]
  readonly profileObjects: readonly unknown[]
  readonly workspace: string
  /** Absolute. */
  readonly stateDir: string | undefined
  readonly secrets: ResolvedSecrets
  readonly maxRunners: number
  readonly callsPerRunner: number
  readonly maxQueue: number
  readonly maxQueuePerTenant: number
  readonly queueTimeoutMs: number
  readonly policyTimeoutMs: number
  readonly maxParallelToolCalls: number
  readonly readBeforeEdit: boolean
  readonly codeMode: CodeModeSettings
  readonly defaultTimeoutMs: number
  readonly memoryMb: number | undefined
  readonly defaultProfile: string
  readonly defaultPin: 'approved' | undefined
  /** What the configuration pins, by the absolute path of the source. */
  readonly pins: ReadonlyMap<string, string>
  /** Settings under `approval`, undefined when it is off. */
  readonly approval: object | undefined
  /** The file that says so, as it was named; undefined where the caller says it. */
  readonly approvalFile: string | undefined
  readonly approvalSeams: ApprovalSeams
  readonly guards: GuardSettings
  readonly toolPolicies: ReadonlyMap<string, ToolDescriptor>
  /** Absolute; where journals go, and what no tool touches. */
  readonly stateHome: string
  /** Absolute path of the configuration file, if there is one. */
  readonly configFile: string | undefined
  readonly logger: (line: string) => void
}

/** Checks and defaults the options once. Throws `CONFIG_INVALID` naming the key that is wrong. */
export function resolveHostSpec(options: HostOptions): HostSpec {
  const { given, operator } = withConfig(options)
  const workspace = given.workspace ?? process.cwd()
  const { profiles, defaults, ...rest } = parseOptions(given, 'createToolHost()')
  return {
    profileFolders: profiles.filter((entry) => typeof entry === 'string'),
    profileObjects: profiles.filter((entry) => typeof entry !== 'string'),
    workspace,
    stateDir: rest.stateDir === undefined ? undefined : resolve(rest.stateDir),
    secrets: resolveSecrets(rest.secrets, process.env),
    maxRunners: rest.maxRunners ?? Math.max(2, availableParallelism()),
    callsPerRunner: rest.callsPerRunner,
    maxQueue: rest.maxQueue,
    maxQueuePerTenant: Math.min(rest.maxQueue, Math.max(100, Math.floor(rest.maxQueue / 10))),
    queueTimeoutMs: rest.queueTimeoutMs,
    policyTimeoutMs: rest.policyTimeoutMs,
    maxParallelToolCalls: rest.maxParallelToolCalls,
    readBeforeEdit: rest.readBeforeEdit,
    codeMode: rest.codeMode,
    defaultTimeoutMs: defaults.timeoutMs,
    memoryMb: defaults.memoryMb,
    defaultProfile: defaults.profile,
    defaultPin: defaults.pin,
    pins: pinsOf(operator, workspace),
    approval: typeof rest.approval === 'object' ? rest.approval : rest.approval ? {} : undefined,
    approvalFile:
      typeof options.config === 'string' && typeof options.approval !== 'object'
        ? options.config
        : undefined,
    approvalSeams: seamsOf(given.approval),
    guards: rest.guards,
    toolPolicies: new Map(
      Object.entries(rest.tools).flatMap(([name, { policy }]) =>
        policy === undefined ? [] : [[name, policy] as const],
      ),
    ),
    stateHome: resolve(rest.stateDir ?? process.env['CAISSON_HOME'] ?? join(homedir(), '.caisson')),
    configFile: typeof options.config === 'string' ? resolve(options.config) : undefined,
    logger: rest.logger ?? (() => undefined),
  }
}

/** What the file and the caller say together, and what the file says of sources. */
interface Given {
  readonly given: HostOptions
  readonly operator?: OperatorConfig
}

function withConfig({ config, ...options }: HostOptions): Given {
  if (config === undefined) return { given: options }
  const read = readConfig(config)
  return { given: merge(read.options, options), operator: read.operator }
}

function pinsOf(operator: OperatorConfig | undefined, folder: string): Map<string, string> {
  const pinned = (operator?.sources ?? []).flatMap((entry) =>
    typeof entry === 'string' || entry.pin === undefined
      ? []
      : [[resolve(folder, entry.source), entry.pin] as const],
  )
  return new Map(pinned)
}

function merge(given: HostOptions, options: HostOptions): HostOptions {
  return {
    ...given,
    ...options,
    profiles: [...(given.profiles ?? []), ...(options.profiles ?? [])],
    secrets: { ...given.secrets, ...options.secrets },
    defaults: { ...given.defaults, ...options.defaults },
    ...mergeApproval(given.approval, options.approval),
    guards: { ...given.guards, ...options.guards },
    tools: { ...given.tools, ...options.tools },
  }
}

function seamsOf(approval: HostOptions['approval']): ApprovalSeams {
  const seams = (Object(approval) as { [APPROVAL_SEAMS]?: ApprovalSeams })[APPROVAL_SEAMS]
  return seams ?? {}
}

// `true` says that it is on, and nothing of how.
function mergeApproval(
  given: HostOptions['approval'],
  explicit: HostOptions['approval'],
): Pick<HostOptions, 'approval'> {
  const approval =
    typeof given === 'object' && typeof explicit === 'object'
      ? { ...given, ...explicit }
      : explicit === true && typeof given === 'object'
        ? given
        : (explicit ?? given)
  return approval === undefined ? {} : { approval }
}

function parseOptions(options: HostOptions, label: string): z.infer<typeof hostSchema> {
  const parsed = hostSchema.safeParse(options)
  if (parsed.success) return parsed.data
  const text = toIssueTexts(parsed.error, hostSchema).join('; ')
  throw new CaissonError('CONFIG_INVALID', `${label}: ${text}`)
}
