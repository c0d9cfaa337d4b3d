import { CaissonError } from '../errors/caisson-error.ts'
import { explainFailure, readKernelSetting, type Unconfinable } from './confiner-reasons.ts'
import type { ConfinedProcess } from './confined-process.ts'
import { findBwrap, type BwrapTools } from './find-bwrap.ts'
import { readHostLayout } from './host-layout.ts'
import { endOrphans } from './orphans.ts'
import { startConfined, type ConfinedSpec } from './start-confined.ts'

/** What can be confined, without what every sandbox of a machine has alike. */
export type SandboxSpec = Omit<ConfinedSpec, keyof Machine>

/** Starts programs under bubblewrap, and knows whether it can. */
export interface Confiner {
  /** Resolves to undefined when a sandbox has been seen to work here, else to why none does. */
  check(): Promise<Unconfinable | undefined>
  /** Throws `SANDBOX_UNAVAILABLE` without having started anything. */
  start(spec: SandboxSpec): Promise<ConfinedProcess>
}

export interface ConfinerOptions {
  /** Where programs are looked for, as in the variable of that name. */
  readonly path: string
  /** What bwrap itself said when it failed; may name folders of the host. */
  diagnose(text: string): void
}

type Machine = BwrapTools & Pick<ConfinedSpec, 'layout'>
type Verdict = { readonly machine: Machine } | { readonly failure: Unconfinable }

const PROBE_MS = 5_000
/** A failure is not looked at again before. */
const RETRY_MS = 5_000
const MB = 1024 * 1024
/** How long the end of what other hosts left behind is waited for. */
const ORPHANS_MS = 100
// 11 when a filter is on and no privilege can be gained any more.
const PROBE_SCRIPT = `while read -r line; do case $line in
  Seccomp:*2) filter=1;; NoNewPrivs:*1) closed=1;; esac; done </proc/self/status; echo "$filter$closed"`
const PROBE_ANSWER = '11\n'

/** Creates the confiner of one host. It probes when it is first needed; a success is for good. */
export function createConfiner(options: ConfinerOptions): Confiner {
  let verdict: Promise<Verdict> | undefined
  const probe = (): Promise<Verdict> => {
    verdict ??= lookAround(options).then((found) => {
      if ('failure' in found) setTimeout(() => (verdict = undefined), RETRY_MS).unref()
      return found
    })
    return verdict
  }
  return {
    async check() {
      const found = await probe()
      return 'failure' in found ? found.failure : undefined
    },
    async start(spec) {
      const found = await probe()
      if ('failure' in found) throw toUnavailable(found.failure)
      return startConfined({ ...found.machine, ...spec })
    },
  }
}

/** The error of whatever would have needed a sandbox. */
export function toUnavailable({ reason, hint }: Unconfinable): CaissonError {
  return new CaissonError('SANDBOX_UNAVAILABLE', `no sandbox: ${reason}; ${hint}`, { reason, hint })
}

async function lookAround({ path, diagnose }: ConfinerOptions): Promise<Verdict> {
  const tools = findBwrap(path)
  if ('reason' in tools) return { failure: tools }
  await endOrphans(ORPHANS_MS)
  const machine = { ...tools, layout: readHostLayout() }
  const said = await tryOut(machine)
  if (said === undefined) return { machine }
  diagnose(`bubblewrap failed: ${said}`)
  return { failure: explainFailure(said, readKernelSetting) }
}

/** Runs a tiny program in a real sandbox; resolves to what went wrong, if something did. */
async function tryOut(machine: Machine): Promise<string | undefined> {
  const trial = startConfined({
    ...machine,
    argv: ['/bin/sh', '-c', PROBE_SCRIPT],
    env: {},
    hasStdin: false,
    hasChannel: false,
    binds: [],
    covers: [],
    tmpfsBytes: MB,
    cwd: '/tmp',
    limits: { fileBytes: MB, files: 64 },
  })
  let answer = ''
  let said = ''
  trial.stdout.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  trial.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')))
  const timer = setTimeout(() => trial.kill(), PROBE_MS)
  const { failure } = await trial.ended
  clearTimeout(timer)
  if (failure !== undefined) return failure
  if (answer === PROBE_ANSWER) return undefined
  return said.trim() === '' ? 'it does not hold what it promises' : said.trim()
}
