import { loadProfiles } from '../sandbox/load-profiles.ts'
import { explainProfile } from './explain-profile.ts'
import type { Output } from './output.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import type { SandboxProfile } from '../types/profile.ts'

/** `caisson profiles [name]`: the profiles, or one explained in words. */
export function runProfiles(output: Output, name: string | undefined): number {
  const profiles = loadProfiles()
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

// Whether it works is another question, which takes longer to answer.
function explainHere({ engine, confinement }: SandboxProfile): string[] {
  if (engine === 'thread' || confinement === 'none') return []
  const found = findBwrap(process.env['PATH'] ?? '')
  if ('reason' in found) return [`  Here: ${found.reason}; ${found.hint}.`]
  return ['  Here: bubblewrap is installed; `caisson doctor` tries whether it works.']
}
