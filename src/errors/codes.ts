/** One row of the closed table of failure codes: the class name, and whether a retry may help. */
interface CodeRow {
  readonly name: string
  /** `perAttempt`: only when each attempt has a deadline of its own. */
  readonly retryable: boolean | 'perAttempt'
}

const row = (name: string, retryable: CodeRow['retryable'] = false): CodeRow => ({
  name,
  retryable,
})

const CODES = {
  // Every fresh context makes this table: with a prototype, V8 would make a hidden class per row.
  __proto__: null as never,
  UNKNOWN_TOOL: row('ToolNotFoundError'),
  INVALID_ARGS: row('ToolArgsError'),
  INVALID_TOOL_OUTPUT: row('ToolOutputError'),
  UNSUPPORTED_SCHEMA: row('JsonSchemaError'),
  JSON_NOT_LOSSLESS: row('JsonError'),
  JSON_LIMIT: row('JsonError'),
  DENIED: row('DeniedError'),
  BAD_DECISION: row('BadDecisionError'),
  POLICY_TIMEOUT: row('PolicyTimeoutError'),
  APPROVAL_UNAVAILABLE: row('ApprovalUnavailableError'),
  ABORTED: row('AbortError'),
  ABORTED_BEFORE_DISPATCH: row('AbortError'),
  TOOL_TIMEOUT: row('ToolTimeoutError', 'perAttempt'),
  TOOL_ERROR: row('ToolError', true),
  TOOL_OUT_OF_MEMORY: row('ToolMemoryError'),
  TOOL_CRASHED: row('ToolCrashedError', true),
  OUTPUT_LIMIT: row('OutputLimitError'),
  CAPABILITY_DENIED: row('CapabilityError'),
  OVERLOADED: row('QueueError'),
  QUEUE_TIMEOUT: row('QueueError'),
  ENGINE_UNAVAILABLE: row('EngineError', true),
  SANDBOX_UNAVAILABLE: row('SandboxUnavailableError'),
  PROTOCOL_ERROR: row('ProtocolError', true),
  LOAD_FAILED: row('LoadError'),
  CONFIG_INVALID: row('ConfigError'),
  HOST_CLOSED: row('ClosedError'),
  AGENT_DISPOSED: row('ClosedError'),
  CODE_RUN_FAILED: row('CodeRunFailedError'),
  FS_NOT_OBSERVED: row('FsError'),
  FS_STALE_VERSION: row('FsError'),
  FS_NOT_FOUND: row('FsError'),
  FS_SANDBOX_DENIED: row('FsError'),
  TOOL_NOT_STARTED: row('RepairError'),
  TOOL_OUTCOME_UNKNOWN: row('RepairError'),
} as const satisfies Record<string, CodeRow>

/** Every code a Caisson error or result can carry; without a prototype. docs/errors.md explains each. */
export const ERROR_CODES: Omit<typeof CODES, '__proto__'> = CODES

/** A code of the closed table. */
export type ErrorCode = keyof typeof ERROR_CODES

/** Whether `value` is a code of the table (own keys only). */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value)
}
