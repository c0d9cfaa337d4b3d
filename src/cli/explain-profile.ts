import type { SandboxProfile } from '../types/profile.ts'

/** A profile in sentences: what a tool under it may do, and what ends it. */
export function explainProfile(profile: SandboxProfile): string[] {
  const { limits } = profile
  return [
    `${profile.name} (${profile.engine} engine)`,
    `  ${profile.description}`,
    `  A call may take ${limits.timeoutMs} ms; ${limits.graceMs} ms after its deadline it is killed.`,
    `  Memory: ${limits.memoryMb} MB. Answer: at most ${limits.outputBytes} bytes. Logs: ${limits.logBytes} bytes.`,
    ...explainWalls(profile).map((line) => `  ${line}`),
    ...explainGrants(profile).map((line) => `  ${line}`),
    `  Retries: ${profile.retry.retries}.`,
  ]
}

const CONFINED = {
  required: 'Confined by bubblewrap; where that does not work nothing is run.',
  preferred:
    'Confined by bubblewrap where that works; else by a user of its own, limits and an empty environment.',
  none: 'Not confined by bubblewrap: the operator has switched it off.',
} as const

function explainWalls({
  engine,
  confinement = 'preferred',
  kernelLimits,
  jit,
  isolation,
}: SandboxProfile): string[] {
  if (engine === 'thread') return []
  return [
    CONFINED[confinement],
    ...(kernelLimits === 'required' ? ['Where no cgroup can hold it nothing is run.'] : []),
    ...(jit === false ? ['V8 interprets it, and compiles nothing.'] : []),
    ...(isolation === 'dense'
      ? ['Calls of one source share a process; one that can only be killed takes the others along.']
      : []),
  ]
}

function explainGrants(profile: SandboxProfile): string[] {
  if (profile.engine === 'thread') {
    return [
      'Network and files: everything Node offers; nothing is confined.',
      explainKv(profile),
      explainEnv(profile),
    ]
  }
  return [
    explainFetch(profile),
    ...explainFiles(profile),
    explainKv(profile),
    explainEnv(profile),
    `Requests of one call: at most ${profile.limits.capabilityCalls}.`,
  ]
}

function explainFetch({ fetch }: SandboxProfile): string {
  if (fetch === undefined || fetch.allow.length === 0 || fetch.methods.length === 0)
    return 'Network: none.'
  const { allow, methods, maxBytes } = fetch
  return `Network: ${methods.join(', ')} to ${allow.join(', ')}; bodies of at most ${maxBytes} bytes.`
}

function explainFiles({ fs }: SandboxProfile): string[] {
  if (fs === undefined || (fs.read.length === 0 && fs.write.length === 0)) return ['Files: none.']
  const { read, write, maxBytes } = fs
  const listed = (globs: readonly string[]): string =>
    globs.length === 0 ? 'nothing' : globs.join(', ')
  return [
    `Files: reads ${listed(read)}; writes ${listed(write)}; at most ${maxBytes} bytes each.`,
    write.length === 0
      ? 'Files named like secrets are not shown.'
      : 'Files named like secrets are not shown; what other programs run or obey is not written.',
  ]
}

function explainKv({ kv }: SandboxProfile): string {
  return kv === undefined
    ? 'Kept between calls: nothing.'
    : `Kept between calls: ${kv.quotaBytes} bytes for each tool and agent.`
}

function explainEnv({ env, secrets }: SandboxProfile): string {
  const names = [
    ...Object.keys(env),
    ...Object.entries(secrets).map(([name, secret]) => `${name} (a stand-in of secret ${secret})`),
  ]
  return `Environment: ${names.length === 0 ? 'nothing' : names.join(', ')}.`
}
