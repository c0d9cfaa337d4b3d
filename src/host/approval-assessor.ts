import { homedir, tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { BUILTIN_SOURCE } from '../builtin/pack.ts'
import type { Artifacts } from '../policies/auto-approval/artifacts/artifacts.ts'
import type { Assessor, ToolFacts } from '../policies/auto-approval/assessor-types.ts'
import { createAssessor } from '../policies/auto-approval/assessor.ts'
import type { ApprovalSettings } from '../policies/auto-approval/config/settings.ts'
import type { PackHost } from '../policies/auto-approval/host-seam.ts'
import type { ApprovalSeams } from '../policies/auto-approval/seams.ts'
import type { AssessedCall } from '../policies/auto-approval/types.ts'
import { findTool } from '../registry/layer.ts'
import type { Registration } from '../registry/registration.ts'
import type { Execution } from '../types/call.ts'
import type { Kernel } from './kernel.ts'

/** The reading of calls that guards, pack and explanations share. */
export interface HostAssessor {
  readonly assessor: Assessor
  /** Reads a call; once per execution where it is read again. Throws when it cannot be read, and then a guard denies. */
  of(exec: Execution): AssessedCall
}

export interface HostAssessorOptions {
  readonly settings: () => ApprovalSettings
  readonly placeOf: PackHost['placeOf']
  readonly countRunning: PackHost['countRunning']
  readonly artifacts: Artifacts
  /** Whether somebody reads a call again after the guard: what the guard saw is what they see. */
  readonly isReadAgain: boolean
  readonly seams: ApprovalSeams
}

/** Creates it from what the host knows of its tools. Throws `LOAD_FAILED` without a shell parser. */
export function createHostAssessor(kernel: Kernel, options: HostAssessorOptions): HostAssessor {
  const { seams, settings, placeOf, countRunning, artifacts } = options
  const { spec } = kernel
  // A tool of one agent is what that agent calls; reading is synchronous, so there is one at a time.
  let current: Execution | undefined
  const assessor =
    seams.assessor ??
    createAssessor({
      home: seams.home ?? homedir(),
      stateDir: spec.stateHome,
      tempRoots: [tmpdir()],
      installDir: INSTALL_DIR,
      settings() {
        const { positionMode, trustedDirs, trustedHosts } = settings()
        const policyFiles = spec.configFile === undefined ? [] : [spec.configFile]
        return { positionMode, trustedDirs, trustedHosts, policyFiles, ...spec.guards }
      },
      describe(name) {
        const running = current === undefined ? undefined : kernel.callOf(current.token)
        const pinned = running?.exec.name === name ? running.registration : undefined
        return factsOf(pinned ?? findTool(kernel.root, name), spec.toolPolicies.get(name))
      },
      ...(seams.files === undefined ? {} : { files: seams.files }),
      artifacts: {
        isOwn: artifacts.isOwn,
        // The call that is being read is one of them.
        isBusy: (root) => countRunning(root) > 1,
      },
    })
  const known = options.isReadAgain ? new WeakMap<Execution, AssessedCall>() : undefined
  return {
    assessor,
    of(exec) {
      const cached = known?.get(exec)
      if (cached !== undefined) return cached
      const { cwd, root, session } = placeOf(exec)
      current = exec
      try {
        const read = assessor.assess({
          name: exec.name,
          arguments: exec.arguments,
          cwd,
          ...(session === undefined ? {} : { root }),
        })
        known?.set(exec, read)
        return read
      } finally {
        current = undefined
      }
    },
  }
}

const INSTALL_DIR = fileURLToPath(new URL('..', import.meta.url))

function factsOf(
  registration: Registration | undefined,
  named: ToolFacts['policy'],
): ToolFacts | undefined {
  if (registration === undefined) {
    return named === undefined
      ? undefined
      : { builtin: false, policy: named, confined: true, capabilities: true }
  }
  const { operator, body, format } = registration
  const policy = operator.policy ?? named
  return {
    builtin: format === BUILTIN_SOURCE,
    ...(policy === undefined ? {} : { policy }),
    engine: body.engine,
    confined: operator.confinement !== 'none',
    capabilities: hasCapabilities(registration),
    ...(operator.destructive === true ? { destructive: true } : {}),
    ...(operator.widens === undefined ? {} : { widens: operator.widens }),
  }
}

// A tool that can only compute needs no classification; everybody else asks for something.
function hasCapabilities({ operator: { grants }, body }: Registration): boolean {
  if (body.engine !== 'isolate' || grants === undefined) return true
  const { fetch, fs, kv, secrets } = grants
  const reachesFiles = fs !== undefined && (fs.write.length > 0 || !fs.read.every(isOwnPackage))
  return fetch !== undefined || kv !== undefined || reachesFiles || Object.keys(secrets).length > 0
}

// What a tool reads of its own source it brought along.
function isOwnPackage(pattern: string): boolean {
  return pattern.startsWith('package:/')
}
