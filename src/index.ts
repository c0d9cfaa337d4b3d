/** The public surface of Caisson. Everything else is internal and may change. */
export { createToolHost, type ToolHost } from './host/create-tool-host.ts'
export {
  createReloadableHost,
  type ReloadableHost,
  type ReloadOptions,
} from './host/reloadable-host.ts'
export type { ConfiguredFailure } from './host/load-configured.ts'
export type { HostOptions } from './host/spec.ts'
export type { SecretOptions } from './host/resolve-secrets.ts'
export type { HookDisposer, HooksApi } from './host/hooks.ts'
export type { HookOptions } from './policies/hooks/settings.ts'
export type { HookDialect } from './policies/hooks/types.ts'
export type { LoadOptions, LoadedTools } from './host/load.ts'
export type { Session, SessionOptions } from './host/session.ts'
export type { Agent, Notice } from './host/agent.ts'
export type { StepOptions, StepResult, ToolCallBlock } from './host/step.ts'
export type { ExecutionMode } from './host/execution-mode.ts'
export type { ToolMetrics } from './host/metrics.ts'
export type {
  AgentToolsApi,
  RegisterOptions,
  ToolInfo,
  ToolsApi,
  ToolSchema,
} from './host/tools-api.ts'
export type { BuiltinBackends } from './builtin/pack.ts'
export type { UserBackend, UserQuestion } from './builtin/ask-user.ts'
export type { SubagentBackend, SubagentTask } from './builtin/subagent.ts'
export type { Presentation } from './registry/presentation.ts'
export type { McpServerEntry } from './config/operator-schema.ts'
export type {
  EditIntent,
  EditIntentListener,
  FileObserver,
  WriteIntent,
  WriteIntentListener,
} from './types/file-gates.ts'
export type { EngineCounts } from './types/engine.ts'
export type { Restriction } from './registry/layer.ts'
export { attachRepeatReminder, type RepeatReminderOptions } from './policies/repeat-reminder.ts'
export { defineTool } from './registry/define-tool.ts'
export { CaissonError, isCaissonError, type ErrorFacts } from './errors/caisson-error.ts'
export { ERROR_CODES, isErrorCode, type ErrorCode } from './errors/codes.ts'
export type {
  AgentRef,
  AroundExecution,
  CallAttempt,
  CallFailed,
  CallFailure,
  CallInput,
  CallResult,
  CallSuccess,
  CallTimings,
  CallToken,
  Execution,
  ToolProgress,
} from './types/call.ts'
export type { CapabilityRecord } from './types/capability.ts'
export type { ContentBlock, OtherBlock, TextBlock } from './types/content.ts'
export type {
  ApprovalListener,
  ApprovalOutcome,
  ApprovalRequest,
  AroundListener,
  Disposer,
  Guard,
  PostDecision,
  PostListener,
  PreDecision,
  PreListener,
  ResultObserver,
} from './types/decision.ts'
export type { EventListeners, HostListeners, ListenOptions, Subscribe } from './types/listeners.ts'
export type { JsonObject, JsonValue } from './types/json.ts'
export type {
  KeptValues,
  PresentedResult,
  RetrySettings,
  ToolDefinition,
  ToolOutput,
  ToolRun,
} from './types/tool.ts'
export type { ToolCallView, ToolResultView } from './types/view.ts'
export type { SessionEvent, SessionLine } from './types/events.ts'
export type { ApprovalApi, ExplainInput } from './host/approval-api.ts'
export type {
  Answerer,
  AnswererKind,
  AnswerReceipt,
  ApprovalAnswer,
  ApprovalQuestion,
} from './approval/types.ts'
export { createTerminalAnswerer, type TerminalOptions } from './approval/terminal.ts'
export {
  createElicitationAnswerer,
  type ElicitationForm,
  type ElicitationOptions,
} from './approval/elicitation.ts'
export { approvalConfigSchema } from './policies/auto-approval/config/schema.ts'
export type {
  ApprovalConfig,
  ApprovalSettings,
  GuardSettings,
  ReviewMode,
} from './policies/auto-approval/config/settings.ts'
export type { ToolDescriptor } from './policies/auto-approval/assessor-types.ts'
export type { Explanation } from './policies/auto-approval/decide/explain.ts'
export {
  readHistory,
  type DecisionCounts,
  type HistoryEntry,
  type HistoryFilter,
} from './policies/auto-approval/journals/read.ts'
export type { SampleReport } from './policies/auto-approval/rules/test-rules.ts'
export type { RuleInput, RuleSample } from './policies/auto-approval/rules/types.ts'
