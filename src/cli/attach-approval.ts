import { attachTerminalApproval } from '../approval/terminal.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import type { HostOptions } from '../host/spec.ts'
import { withSeams } from '../policies/auto-approval/seams.ts'

/** Who answers when policy asks: the person at the terminal, or everybody gets the same answer. */
export type ApprovalMode = 'ask' | 'always' | 'never'

/** Approval of one command: on, as configured, with a journal of its own beside those of others. */
export const COMMAND_APPROVAL: NonNullable<HostOptions['approval']> = withSeams(
  {},
  { journal: 'run' },
)

/** The same for `run`, in which the operator names the tools: `command` says which. */
export function createRunApproval(): {
  readonly approval: NonNullable<HostOptions['approval']>
  command(tool: string): void
} {
  const commanded = new Set<string>()
  const isCommanded = (tool: string): boolean => commanded.has(tool)
  return {
    approval: withSeams({}, { journal: 'run', isCommanded }),
    command: (tool) => void commanded.add(tool),
  }
}

/** Has the host's questions answered in the way that `--approve` names; locked ones only by a person. */
export function attachApproval(host: ToolHost, mode: ApprovalMode): void {
  if (mode === 'ask') {
    if (host.approval.settings.answerers.terminal) attachTerminalApproval(host)
    return
  }
  const decision = mode === 'always' ? 'allow' : 'reject'
  host.approval.addAnswerer({
    id: `--approve ${mode}`,
    kind: 'program',
    available: () => true,
    ask: async () => ({ decision }),
  })
}
