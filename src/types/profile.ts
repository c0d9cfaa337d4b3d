import type { EngineKind } from './engine.ts'

/** Limits of one call. Times in milliseconds, sizes in the unit their name says. */
export interface ProfileLimits {
  readonly timeoutMs: number
  readonly graceMs: number
  readonly memoryMb: number
  /** CPU time, where the engine can tell it. */
  readonly cpuMs?: number
  readonly outputBytes: number
  readonly logBytes: number
  readonly capabilityCalls: number
}

/** Requests a tool may make. */
export interface FetchGrant {
  /** Origins, exact or with a wildcard for whole labels in front. */
  readonly allow: readonly string[]
  readonly methods: readonly string[]
  /** Of one body, sent or received and decoded. */
  readonly maxBytes: number
}

/** Files a tool may use: globs below `workspace:/` or, to read, `package:/`. */
export interface FsGrant {
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Of one file. */
  readonly maxBytes: number
}

/** Values that stay between calls. */
export interface KvGrant {
  /** Of the keys and values of one tool and agent. */
  readonly quotaBytes: number
}

/** What a program outside of this process gets; process engine only. */
export interface ProcessGrant {
  /** `broker`: what `fetch` allows, through a proxy of the host. */
  readonly network: 'none' | 'broker'
  /** Processes and threads of one sandbox. */
  readonly pids: number
  /** Each of /tmp, the home folder and /dev/shm. */
  readonly tmpfsMb: number
}

/**
 * What calls of one source share. `fresh`: nothing, each has a context of its own. `frozen`: one
 * context that none of them can change. `sticky`: what the source's modules hold, per agent.
 */
export type CallState = 'fresh' | 'frozen' | 'sticky'

/** A resolved sandbox profile: what a tool may do, where it runs, and what it may use up. */
export interface SandboxProfile {
  readonly name: string
  readonly description: string
  readonly engine: Exclude<EngineKind, 'inline'>
  /** Default `fresh`. */
  readonly state?: CallState
  readonly limits: ProfileLimits
  readonly fetch?: FetchGrant
  readonly fs?: FsGrant
  readonly kv?: KvGrant
  /** Plain values the tool sees in `process.env`. */
  readonly env: Readonly<Record<string, string>>
  /** Further names in `process.env`, each with the host's secret that it sees a stand-in of. */
  readonly secrets: Readonly<Record<string, string>>
  readonly retry: { readonly retries: number }
  /**
   * `none`: nothing confines what it runs in. `preferred`: bubblewrap where it works; isolate engine
   * only. Absent for threads.
   */
  readonly confinement?: 'required' | 'preferred' | 'none'
  /** `required`: nothing runs unless a cgroup holds its memory, CPU and processes. */
  readonly kernelLimits?: 'required' | 'preferred'
  /** False: V8 compiles nothing; isolate engine only. */
  readonly jit?: boolean
  /** `dense`: calls of one source share a process; isolate engine only. */
  readonly isolation?: 'strict' | 'dense'
  readonly process?: ProcessGrant
  /** Set by the host alone, for programs of Code Mode: the body may call the tools of its agent. */
  readonly toolCalls?: true
}
