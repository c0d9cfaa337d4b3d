import { homedir } from 'node:os'
import { resolve as resolvePath } from 'node:path'
import { BUILTIN_SOURCE } from '../builtin/pack.ts'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { createAsks } from '../approval/asks.ts'
import { SYSTEM_CLOCK } from '../approval/clock.ts'
import { pathInside } from '../loader/package-path.ts'
import { createPlainAdjudicator } from '../approval/plain.ts'
import { createArtifacts } from '../policies/auto-approval/artifacts/artifacts.ts'
import { checkTrustedDirs } from '../policies/auto-approval/config/trusted-dirs.ts'
import { compileSettings, type InForce } from '../policies/auto-approval/decide/in-force.ts'
import type { PackHost } from '../policies/auto-approval/host-seam.ts'
import { createApprovalPack, type ApprovalPack } from '../policies/auto-approval/pack.ts'
import { REAL_FILES } from '../policies/auto-approval/paths/file-view.ts'
import type { Reason, Target } from '../policies/auto-approval/types.ts'
import type { AgentRef, Execution } from '../types/call.ts'
import type { Agent } from './agent.ts'
import { createApprovalApi, type ApprovalApi } from './approval-api.ts'
import { createHostAssessor, type HostAssessor } from './approval-assessor.ts'
import { placeOf, rootOf, sessionOf } from './approval-place.ts'
import type { Kernel } from './kernel.ts'
import { inFile } from './read-config.ts'
import { createUserMessages } from './user-messages.ts'

/** Guards, and the approval pack where it is switched on. */
export interface HostApproval {
  readonly api: ApprovalApi
  openSession(id: string, policy: unknown): void
  closeSession(id: string): void
  /** Takes down every question. */
  shut(): void
  close(): Promise<void>
}

/** Installs guards and, when the spec says so, the pack. Throws `CONFIG_INVALID`, `LOAD_FAILED`. */
export function createHostApproval(kernel: Kernel): HostApproval {
  const { approval, approvalSeams: seams } = kernel.spec
  const clock = seams.clock ?? SYSTEM_CLOCK
  const asks = createAsks(clock, {
    answererFailed: (id) => kernel.diagnose(`approval answerer '${id}' failed`),
    late: (what) => kernel.diagnose(`approval: ${what} came too late`),
  })
  const exempt = new Set<string>()
  const closers: (() => Promise<void>)[] = []
  const isGoverned = (root: string): boolean => !exempt.has(root)
  const users = createUserMessages()
  const host = createPackHost(kernel, isGoverned, users.list)
  const resolve = (given: unknown): InForce => {
    const next = compileSettings(given, seams.isCommanded)
    checkKeys(next)
    const home = seams.home ?? homedir()
    checkTrustedDirs(next.settings.trustedDirs, { home, stateDir: kernel.spec.stateHome })
    return next
  }
  let inForce = inFile(kernel.spec.approvalFile, () => resolve(approval ?? {}))
  const artifacts = createArtifacts(seams.files ?? REAL_FILES, clock)
  const reading = createHostAssessor(kernel, {
    settings: () => inForce.settings,
    placeOf: host.placeOf,
    countRunning: host.countRunning,
    artifacts,
    seams,
  })
  const pack =
    approval === undefined
      ? undefined
      : createApprovalPack({
          host,
          clock,
          stateDir: kernel.spec.stateHome,
          inForce: () => inForce,
          assessor: reading.assessor,
          assess: reading.of,
          artifacts,
          asks,
          readKey: (name) => process.env[name],
          seams,
        })
  installGuard(kernel, reading, host, pack)
  kernel.attachApproval({
    adjudicator: pack?.adjudicator ?? createPlainAdjudicator(asks),
    redact: pack?.redact,
    heard(where, message) {
      const top = typeof where === 'string' ? undefined : rootOf(where)
      if (typeof where === 'string') users.note(where, message)
      else if (top !== undefined) users.note(sessionOf(top), message)
    },
  })
  const configure = (given: unknown): void => {
    inForce = reconfigure(() => resolve(given), pack, kernel)
  }
  const api = createApprovalApi({
    kernel,
    asks,
    pack,
    reading,
    inForce: () => inForce,
    configure,
    clock,
    closers,
  })
  if (pack !== undefined) announceConsole(api, kernel)
  return {
    api,
    openSession(id, policy) {
      if (parsePolicy(policy) === 'none') exempt.add(id)
    },
    closeSession(id) {
      exempt.delete(id)
      users.drop(id)
      pack?.dropSession(id)
    },
    shut: () => pack?.shut(),
    async close() {
      await Promise.all(closers.splice(0).map((end) => end()))
      await pack?.close()
    },
  }
}

// A page that cannot be opened is one answerer less, and the host goes on.
function announceConsole(api: ApprovalApi, { diagnose }: Kernel): void {
  if (!api.settings.answerers.console.enabled) return
  api.openConsole().then(
    ({ url }) => diagnose(`approvals are answered at ${url}`),
    (error: unknown) => diagnose(`the approval page could not be opened: ${String(error)}`),
  )
}

// Before any guard of the operator, and with nothing that could take it out again.
function installGuard(
  kernel: Kernel,
  reading: HostAssessor,
  host: PackHost,
  pack: ApprovalPack | undefined,
): void {
  kernel.root.guards.add(function builtin(exec: Execution) {
    const { guard, assessment } = reading.of(exec)
    if (guard === undefined || isFenced(kernel, exec, assessment.reasons)) return undefined
    host.setCodes(exec, [...new Set(assessment.reasons.map(({ code }) => code))])
    try {
      pack?.noteGuard(exec)
    } catch (error) {
      kernel.diagnose(`a guard's denial could not be recorded: ${String(error)}`)
    }
    return guard.message
  })
}

function createPackHost(
  kernel: Kernel,
  isGoverned: (root: string) => boolean,
  userMessages: PackHost['userMessages'],
): PackHost {
  // Once: where the process goes later does not move the calls.
  const cwd = resolvePath(kernel.spec.workspace)
  const place: PackHost['placeOf'] = (exec) => placeOf(kernel, { cwd, isGoverned }, exec)
  return {
    placeOf: place,
    isOver({ token, signal }) {
      const call = kernel.callOf(token)
      return signal.aborted || call === undefined || call.interrupt.code !== undefined
    },
    setCodes({ token }, codes) {
      const call = kernel.callOf(token)
      if (call !== undefined) call.denialCodes = codes
    },
    descriptionOf: ({ token }) => kernel.callOf(token)?.registration?.description ?? '',
    countRunning: (root) =>
      [...kernel.liveCalls()].filter((call) => place(call.exec).root === root).length,
    userMessages,
    listen: (event, fn, name) =>
      kernel.root.hub.on(event, Object.defineProperty(fn as object, 'name', { value: name })),
    inject(agent, text) {
      const content = [{ type: 'text', text }]
      ;(agent as Agent).inject({ content, source: { kind: 'plugin', plugin: 'auto-approval' } })
    },
    onStepEnd: listenToSteps,
    diagnose: kernel.diagnose,
  }
}

function listenToSteps(agent: AgentRef, fn: () => void): void {
  try {
    ;(agent as Agent).on('step/end', (line) => {
      if (line.agent === agent.id) fn()
    })
  } catch {
    // The agent is being disposed: no step of it will end any more.
  }
}

function parsePolicy(policy: unknown): 'auto-approval' | 'none' {
  if (policy === undefined || policy === 'auto-approval') return 'auto-approval'
  if (policy === 'none') return policy
  throw new CaissonError(
    'CONFIG_INVALID',
    "openSession(): policy must be 'auto-approval' or 'none'",
  )
}

function checkKeys({ settings }: InForce): void {
  for (const key of ['classifier', 'reviewer'] as const) {
    const name = settings[key]?.apiKeyEnv
    if (name === undefined || (process.env[name] ?? '') !== '') continue
    const text = `approval.${key}.apiKeyEnv: the environment variable ${name} is not set`
    throw new CaissonError('CONFIG_INVALID', text)
  }
}

// What cannot be kept to changes nothing: the settings before stay in force.
function reconfigure(
  resolve: () => InForce,
  pack: ApprovalPack | undefined,
  kernel: Kernel,
): InForce {
  try {
    return resolve()
  } catch (error) {
    const text = isCaissonError(error) ? error.message : 'the settings cannot be read'
    kernel.diagnose(`approval: new settings were refused, the ones before stay: ${text}`)
    pack?.parts.recorder.observe({ kind: 'config-rejected' })
    throw error
  }
}

const FENCED_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch'])

const LINK_CODES: ReadonlySet<string> = new Set(['LINK_ESCAPE', 'LINK_UNRESOLVED', 'CRITICAL_PATH'])

/**
 * A link out of the workspace is refused to the host's own file tools by the broker, in the moment of
 * use and under the code that files have; the guard speaks for everybody else.
 */
function isFenced(kernel: Kernel, { token, name }: Execution, reasons: readonly Reason[]): boolean {
  const format = kernel.callOf(token)?.registration?.format
  if (format !== BUILTIN_SOURCE || !FENCED_TOOLS.has(name)) return false
  const workspace = resolvePath(kernel.spec.workspace)
  const isLinked = ({ path }: Target): boolean =>
    path !== undefined && pathInside(workspace, path) !== undefined
  return reasons
    .filter(({ severity }) => severity === 'fatal')
    .every(({ code, targets }) => LINK_CODES.has(code) && targets.every(isLinked))
}
