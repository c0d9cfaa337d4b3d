import type { ToolDescriptor, ToolFacts } from '../assessor-types.ts'

const SESSION =
  'ask_user ask_user_question todo_write get_goal create_goal update_goal exit_plan_mode skill present ' +
  'job_stop job_kill kill_shell terminal_stop terminal_close schedule_list team_task_create team_task_update ' +
  'team_task_list team_task_get'
const POLLED = 'job_output job_list job_status bash_output terminal_read terminal_list schedule_get'
const DELEGATE =
  'subagent spawn_agent spawn_teammate workflow send_message wait_agent list_agents interrupt_agent'
const SEND = 'git_push deploy publish send_email create_issue create_pull_request'

/** The shipped bindings: exact names of the host's own tools. */
const SHIPPED: ReadonlyMap<string, ToolDescriptor> = new Map([
  ...bind('read read_image lsp', {
    class: 'read',
    paths: ['file_path', 'cwd'],
    channel: 'internal',
  }),
  ...bind('grep glob list search', { class: 'search', paths: ['path'], channel: 'internal' }),
  ...bind('write', { class: 'write', paths: ['file_path'], channel: 'internal' }),
  ...bind('edit', { class: 'edit', paths: ['file_path'], channel: 'internal' }),
  ...bind('apply_patch', { class: 'patch', paths: ['patches[].file_path'], channel: 'internal' }),
  ...bind('str_replace_editor', { class: 'editor', paths: ['path'], channel: 'internal' }),
  ...bind('bash', { class: 'shell', paths: ['cwd'], channel: 'local' }),
  ...bind('pwsh', { class: 'foreign shell', channel: 'local' }),
  ...bind('terminal_open terminal_send', { class: 'terminal', channel: 'external' }),
  ...bind('web_fetch web_search', { class: 'fetch', channel: 'external' }),
  ...bind(SEND, { class: 'send', channel: 'external' }),
  ...bind(SESSION, { class: 'session', channel: 'internal' }),
  ...bind(POLLED, { class: 'session', channel: 'internal', pollable: true }),
  ...bind(DELEGATE, { class: 'delegate', channel: 'internal' }),
  ...bind('run_code', { class: 'code', channel: 'internal' }),
  ...bind('load_tool', { class: 'load', channel: 'external' }),
  ...bind('time', { class: 'pure', channel: 'internal' }),
])

/** Every class with a way to be judged; anything else is unclassified. */
export const TOOL_CLASSES: ReadonlySet<string> = new Set([
  ...['read', 'search', 'write', 'edit', 'patch', 'editor', 'shell', 'foreign shell', 'terminal'],
  ...['fetch', 'send', 'session', 'delegate', 'code', 'load', 'pure'],
])

/** Class of a tool that nobody classified. */
export const UNCLASSIFIED = 'unclassified'

const NOBODY: ToolDescriptor = { class: UNCLASSIFIED, channel: 'external' }
const COMPUTES: ToolDescriptor = { class: 'pure', channel: 'internal' }
const CLASS_DEFAULTS: ReadonlyMap<string, ToolDescriptor> = new Map(
  [...SHIPPED.values()].map((descriptor) => [descriptor.class, descriptor]),
)

/** The descriptor that holds for a tool: the operator's, the host's own, else none. */
export function resolveDescriptor(name: string, facts: ToolFacts | undefined): ToolDescriptor {
  if (facts?.policy !== undefined) return complete(facts.policy)
  if (facts === undefined || facts.builtin) return SHIPPED.get(name) ?? NOBODY
  return facts.engine === 'isolate' && !facts.capabilities ? COMPUTES : NOBODY
}

// What an operator leaves out is what the class usually has.
function complete(policy: ToolDescriptor): ToolDescriptor {
  if (!TOOL_CLASSES.has(policy.class)) return NOBODY
  const usual = CLASS_DEFAULTS.get(policy.class)
  return { ...usual, pollable: false, ...policy }
}

function bind(
  names: string,
  descriptor: ToolDescriptor,
): readonly (readonly [string, ToolDescriptor])[] {
  return names.split(' ').map((name) => [name, descriptor])
}
