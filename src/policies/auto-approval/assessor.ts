import { CaissonError } from '../../errors/caisson-error.ts'
import { textsOf } from './assessment/arguments.ts'
import { deletesOnlyOwn } from './assessment/artifacts-exemption.ts'
import { resolveDescriptor, UNCLASSIFIED } from './assessment/descriptors.ts'
import type { Findings } from './assessment/findings.ts'
import { createFindings } from './assessment/findings.ts'
import type { ClassRequest } from './assessment/judge-class.ts'
import { judgeClass } from './assessment/judge-class.ts'
import type { ShellReading } from './assessment/judge-shell.ts'
import { judgeShellCall } from './assessment/judge-shell.ts'
import { toAssessment } from './assessment/to-assessment.ts'
import { judgeUnclassified } from './assessment/unclassified.ts'
import type { Assessor, AssessorOptions, ToolDescriptor, ToolFacts } from './assessor-types.ts'
import { holdsCredential } from './guard/credentials.ts'
import { toGuardDenial } from './guard/denial.ts'
import { createGround, type Ground } from './paths/ground.ts'
import { REAL_FILES } from './paths/file-view.ts'
import { createResolver } from './paths/resolve.ts'
import { readLine, SHELL_PARSER } from './shell/read-line.ts'
import type { AssessedCall, Assessment, PolicyCall, Target } from './types.ts'

/**
 * Reads calls for guards, assessment and rules. Host code: synchronous, bounded, runs nothing. Throws
 * `LOAD_FAILED` when shell lines have to be read and the parser does not work.
 */
export function createAssessor(options: AssessorOptions): Assessor {
  const { parser = SHELL_PARSER, needsShell = true } = options
  if (needsShell && readLine('true', parser) === undefined)
    throw new CaissonError(
      'LOAD_FAILED',
      'the shell parser does not work, so no shell tool can be held',
    )
  return {
    assess: (call) => assess(call, options),
    isUnchanged: (targets) => isUnchanged(targets, options),
  }
}

const MAX_TEXTS = 20_000

function assess(call: PolicyCall, options: AssessorOptions): AssessedCall {
  const request = new Request(call, options)
  const { descriptor, facts, findings } = request
  let shell: ShellReading | undefined
  try {
    judgeCredentials(call, descriptor, findings)
    shell = judgeByClass(request, call, options)
    if (facts?.widens?.(call.arguments) === true)
      findings.add({ code: 'HOST_ACCESS', layer: 'names' })
  } catch {
    // Reading that fails proves nothing, so the call is refused.
    findings.add({ code: 'TARGET_UNREADABLE', layer: 'credentials' })
  }
  return new Assessed(request, shell)
}

class Request implements ClassRequest {
  readonly name: string
  readonly args: PolicyCall['arguments']
  readonly folder: string
  readonly descriptor: ToolDescriptor
  readonly facts: ToolFacts | undefined
  readonly findings: Findings = createFindings()
  readonly urls: string[] = []
  readonly #options: AssessorOptions
  #ground: Ground | undefined

  constructor(call: PolicyCall, options: AssessorOptions) {
    this.name = call.name
    this.args = call.arguments
    this.folder = call.cwd
    this.facts = options.describe(call.name)
    this.descriptor = resolveDescriptor(call.name, this.facts)
    this.#options = options
  }

  // Its roots are looked up on disk: only where something is judged against them.
  get ground(): Ground {
    return (this.#ground ??= createGround(this.#options, this.folder))
  }
}

/** Most calls are only asked whether a guard denies them; what is found is read out when it is needed. */
class Assessed implements AssessedCall {
  readonly guard: AssessedCall['guard']
  readonly toolClass: AssessedCall['toolClass']
  readonly channel: AssessedCall['channel']
  readonly shell: ShellReading | undefined
  readonly urls: readonly string[]
  readonly pollable: boolean
  readonly #findings: Findings
  #assessment: Assessment | undefined
  #targets: readonly Target[] | undefined

  constructor({ findings, descriptor, urls }: Request, shell: ShellReading | undefined) {
    this.guard = toGuardDenial(findings)
    this.toolClass = descriptor.class
    this.channel = descriptor.channel ?? 'external'
    this.shell = shell
    this.urls = urls
    this.pollable = descriptor.pollable === true
    this.#findings = findings
  }

  get assessment(): Assessment {
    return (this.#assessment ??= toAssessment(this.#findings))
  }

  get targets(): readonly Target[] {
    return (this.#targets ??= this.#findings.targets())
  }
}

function judgeByClass(
  request: ClassRequest,
  call: PolicyCall,
  options: AssessorOptions,
): ShellReading | undefined {
  const { descriptor, findings, facts } = request
  if (descriptor.class === 'shell') {
    const { shell, verdict } = judgeShellCall(request, options.parser ?? SHELL_PARSER)
    const { artifacts } = options
    if (verdict !== undefined && artifacts !== undefined && call.root !== undefined) {
      const { ground } = request
      const owner = { artifacts, root: call.root, ground, folder: verdict.folder }
      if (deletesOnlyOwn(verdict, owner)) findings.replace('DELETE', 'ARTIFACT_DELETE')
    }
    return shell
  }
  if (!judgeClass(request)) judgeUnclassified(request)
  else if (facts?.destructive === true)
    findings.add({ code: 'NAME_RISK', layer: 'names', category: 'privilege' })
  return undefined
}

// Whole and decoded; nothing that is looked at here has been cut.
function judgeCredentials(
  { arguments: args }: PolicyCall,
  descriptor: ToolDescriptor,
  findings: Findings,
): void {
  if (descriptor.channel !== 'external') return
  const written = JSON.stringify(args)
  if (!holdsCredential(written) && !(written.includes('\\') && isEscaped(args))) return
  const code = descriptor.class === UNCLASSIFIED ? 'CREDENTIAL_ARGUMENT' : 'CREDENTIAL_EGRESS'
  findings.add({ code, layer: 'credentials' })
}

// Without an escape every text stands in the JSON as it is.
function isEscaped(args: PolicyCall['arguments']): boolean {
  return textsOf(args, MAX_TEXTS)?.some(({ text }) => holdsCredential(text)) === true
}

function isUnchanged(targets: readonly Target[], options: AssessorOptions): boolean {
  const { resolve } = createResolver(options.files ?? REAL_FILES)
  return targets.every(({ path, resolved, identity }) => {
    if (path === undefined || resolved === undefined) return true
    const found = resolve(path)
    if (found.kind === 'failed' || found.path !== resolved) return false
    const now = found.file?.identity
    if (now === undefined || identity === undefined) return now === identity
    return (
      now.device === identity.device && now.inode === identity.inode && now.birth === identity.birth
    )
  })
}
