import { readConfig, toProfiles } from '../host/read-config.ts'
import { loadProfiles, type Profiles } from '../sandbox/load-profiles.ts'
import { explainProfile } from './explain-profile.ts'
import type { Output } from './output.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import type { SandboxProfile } from '../types/profile.ts'

/** `caisson profiles [name]`: the shipped profiles and those of a configuration, or one in words. */
export function runProfiles(
  output: Output,
  name: string | undefined,
  { config }: { readonly config?: string },
): number {
  const profiles = loadConfiguredProfiles(config)
  const shown = name === undefined ? profiles.list : [profiles.resolve(name)]
  if (output.json) {
    output.object(name === undefined ? { profiles: shown } : shown[0])
    return 0
  }
  for (const profile of shown) {
    if (name === undefined)
      output.line(`${profile.name.padEnd(16)} ${profile.engine.padEnd(8)} ${profile.description}`)
    else for (const line of [...explainProfile(profile), ...explainHere(profile)]) output.line(line)
  }
  return 0
}

/** The profiles that a configuration can name. Throws `CONFIG_INVALID`. */
export function loadConfiguredProfiles(config: string | undefined): Profiles {
  return config === undefined ? loadProfiles() : toProfiles(readConfig(config).options)
}

// Whether it works is another question, which takes longer to answer.
function explainHere({ engine, confinement }: SandboxProfile): string[] {
  if (engine === 'thread' || confinement === 'none') return []
  const found = findBwrap(process.env['PATH'] ?? '')
  if ('reason' in found) return [`  Here: ${found.reason}; ${found.hint}.`]
  return ['  Here: bubblewrap is installed; `caisson doctor` tries whether it works.']
}
