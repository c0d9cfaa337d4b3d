import { toReason } from '../policies/auto-approval/reasons.ts'
import type { Assessor, AssessorOptions } from '../policies/auto-approval/assessor-types.ts'

/** Takes every tool that is not known to only compute for one that nobody classified. */
export function createAssessor(options: AssessorOptions): Assessor {
  return {
    isUnchanged: () => true,
    assess({ name }) {
      const facts = options.describe(name)
      const isPure = facts !== undefined && !facts.capabilities
      const reason = toReason(isPure ? 'INTERNAL' : 'UNCLASSIFIED_TOOL', [])
      return {
        assessment: {
          decision: isPure ? 'allow' : 'ask',
          verdict: isPure ? 'allow' : 'ask-e',
          tier: isPure ? 'LOW' : 'MEDIUM',
          category: reason.category,
          eligible: !isPure,
          locked: false,
          credentialRead: false,
          reasons: [reason],
          plannedCreates: [],
        },
        guard: undefined,
        toolClass: isPure ? 'pure' : 'none',
        channel: 'internal',
        shell: undefined,
        targets: [],
        urls: [],
        pollable: facts?.policy?.pollable ?? false,
      }
    },
  }
}
