import { SANDBOX_HOME, type Bind } from '../../sandbox/bwrap-args.ts'
import { createPlaceholder } from '../../sandbox/placeholder.ts'
import type { Door } from '../../sandbox/door.ts'
import type { SandboxProfile } from '../../types/profile.ts'

/** Where every sandbox has the Node that the host runs on. */
const NODE_FOLDER = '/opt/caisson'
export const SANDBOX_NODE = `${NODE_FOLDER}/node`

/** Where a program with a brokered network finds its proxy: nobody else is in its network. */
export const DOOR: Door = { port: 3128, node: SANDBOX_NODE }

/** Whether the programs of a profile are given a way out. */
export function hasDoor({ process, confinement }: SandboxProfile): boolean {
  return process?.network === 'broker' && confinement !== 'none'
}

const PROXY = `http://127.0.0.1:${DOOR.port}`
// Some read one spelling, some the other, and Node only when it is told to.
const PROXY_ENV: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  NODE_USE_ENV_PROXY: '1',
}

/** What a confined program finds in its environment before its profile adds to it. */
const CONFINED_ENV: Readonly<Record<string, string>> = {
  PATH: `${NODE_FOLDER}:/usr/local/bin:/usr/bin:/bin`,
  HOME: SANDBOX_HOME,
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
}

/** Shows the host's own Node to a program, so that `node` is one version for all. */
export function nodeBind(execPath: string): Bind {
  return { from: execPath, to: SANDBOX_NODE, writable: false }
}

/** What a program sees of each secret in its environment; made anew for every one. */
export function createStandIns({ secrets }: SandboxProfile): Record<string, string> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, createPlaceholder()]))
}

/** The whole environment of a program: the profile has the last word on every name. */
export function toProgramEnv(
  profile: SandboxProfile,
  hostPath: string,
  standIns: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const base = profile.confinement === 'none' ? { PATH: hostPath, LANG: 'C.UTF-8' } : CONFINED_ENV
  return { ...base, ...(hasDoor(profile) ? PROXY_ENV : {}), ...profile.env, ...standIns }
}
