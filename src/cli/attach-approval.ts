import { attachTerminalApproval } from '../approval/terminal.ts'
import type { ToolHost } from '../host/create-tool-host.ts'
import type { Output } from './output.ts'

/** Who answers when policy asks: the person at the terminal, or everybody gets the same answer. */
export type ApprovalMode = 'ask' | 'always' | 'never'

/** Has the host's questions answered in the way that `--approve` names. */
export function attachApproval(host: ToolHost, mode: ApprovalMode, output: Output): void {
  if (mode === 'always') host.on('approval/request', () => 'allowed-once')
  else if (mode === 'never') host.on('approval/request', () => 'rejected')
  else attachTerminalApproval(host, { output: (text) => output.note(text) })
}
