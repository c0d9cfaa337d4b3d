import type { JsonLimits } from '../json/limits.ts'
import { tryMaterializeJson } from '../json/materialize.ts'
import { walkJson } from '../json/walk.ts'
import type { JsonObject, JsonValue } from '../types/json.ts'
import {
  type ArrayFrame,
  type Check,
  fail,
  failAs,
  type Frame,
  MAX_STEPS,
  type Names,
  type ObjectFrame,
  spend,
  startCheck,
  TOO_COSTLY,
  type UnionFrame,
} from './check.ts'
import { isList, isRecord, readKeys, readOwn, UNREADABLE } from './record.ts'
import { addViolation, quoteLiterals, quotePath, toLines } from './report.ts'
import { isJsonNumber, isScalarOf, type ScalarType } from './scalar.ts'

/**
 * Every way in which `value` breaks a schema of the supported subset, with paths that start at
 * `label`; empty means valid. Never throws; lists a hundred violations and counts the others.
 * `materialized` says that `value` is a detached JSON value already, which saves a walk.
 */
export function validateValue(
  schema: JsonObject,
  value: unknown,
  label: string,
  { materialized = false }: Materialization = {},
): string[] {
  const names: Names = { root: label, prefix: label }
  return materialized
    ? inspect(schema, value, startCheck(names, true))
    : validate(schema, value, names)
}

interface Materialization {
  readonly materialized?: boolean
}

/** The same for the arguments of a tool: the root is called `arguments`, its children have no prefix. */
export function validateArguments(
  schema: JsonObject,
  args: unknown,
  { materialized = false }: Materialization = {},
): string[] {
  const names: Names = { root: 'arguments', prefix: '' }
  return materialized
    ? inspect(schema, args, startCheck(names, true))
    : validate(schema, args, names)
}

const FAULT_STEPS = 10_000
// How large a value may be is not for a schema to say; only the work is bounded here.
const UNLIMITED: JsonLimits = { depth: Infinity, nodes: MAX_STEPS, bytes: Infinity }
const LOSSLESS = 'must be a lossless JSON value'

function validate(schema: JsonObject, value: unknown, names: Names): string[] {
  const copy = tryMaterializeJson(value, { limits: UNLIMITED })
  return copy.kind === 'value'
    ? inspect(schema, copy.value, startCheck(names, true))
    : inspect(schema, value, startCheck(names, false))
}

function inspect(schema: JsonObject, value: unknown, check: Check): string[] {
  try {
    visit(check, schema, value)
    while (check.frame !== undefined) advance(check, check.frame)
  } catch (thrown) {
    const rule = thrown === TOO_COSTLY ? 'takes too many steps to check' : LOSSLESS
    addViolation(check.report, () => `${quotePath(check.names.root)} ${rule}`)
  }
  return toLines(check.report)
}

function visit(check: Check, node: JsonObject, value: unknown): void {
  spend(check, 1)
  if (value === UNREADABLE) return void fail(check, LOSSLESS)
  const branches = own(node, 'oneOf')
  if (Array.isArray(branches)) return openUnion(check, branches as JsonObject[], value)
  const type = own(node, 'type')
  switch (type) {
    case 'object':
      return openObject(check, node, value)
    case 'array':
      return openArray(check, node, value)
    case undefined:
      return requireLossless(check, value, LOSSLESS)
    default:
      return checkScalar(check, node, type as ScalarType, value)
  }
}

function advance(check: Check, frame: Frame): void {
  if (frame.kind === 'union') return advanceUnion(check, frame)
  if (frame.kind === 'array') return advanceArray(check, frame)
  while (frame.next < frame.keys.length) {
    const key = frame.keys[frame.next++] as string
    const value = Object.hasOwn(frame.seen, key) ? frame.seen[key] : undefined
    if (value !== undefined) return visit(check, frame.properties[key] as JsonObject, value)
  }
  check.frame = frame.parent
  if (own(frame.node, 'additionalProperties') === false && !closeObject(check, frame)) return
  if (check.report.count === frame.before) requireLossless(check, frame.value, LOSSLESS)
}

function openObject(check: Check, node: JsonObject, value: unknown): void {
  if (!isRecord(value)) return void fail(check, 'must be an object')
  const properties = (own(node, 'properties') ?? {}) as JsonObject
  const required = (own(node, 'required') ?? []) as readonly string[]
  const keys = Object.keys(properties)
  spend(check, keys.length + required.length)
  const seen = check.lossless ? value : readKeys(value, keys, required)
  const before = check.report.count
  for (const name of required) {
    if (Object.hasOwn(seen, name) && seen[name] !== undefined) continue
    if (!failAs(check, (path) => `missing required property ${path}`, name)) return
  }
  const parent = check.frame
  check.frame = { kind: 'object', parent, node, value, seen, properties, keys, before, next: 0 }
}

/** Reports undeclared keys; whether the caller may go on. */
function closeObject(check: Check, frame: ObjectFrame): boolean {
  const keys = Object.keys(frame.value)
  spend(check, keys.length)
  for (const key of keys) {
    if (Object.hasOwn(frame.properties, key)) continue
    if (!failAs(check, (path) => `${path} is not a declared property`, key)) return false
  }
  return true
}

function openArray(check: Check, node: JsonObject, value: unknown): void {
  if (!isList(value)) return void fail(check, 'must be an array')
  const items = own(node, 'items') as JsonObject | undefined
  if (items === undefined) return requireLossless(check, value, LOSSLESS)
  const before = check.report.count
  check.frame = { kind: 'array', parent: check.frame, items, value, before, next: 0 }
}

function advanceArray(check: Check, frame: ArrayFrame): void {
  if (frame.next < frame.value.length) {
    const index = frame.next++
    const value = check.lossless ? frame.value[index] : readOwn(frame.value, index)
    // A hole is left to the check of the whole array.
    return value === undefined ? spend(check, 1) : visit(check, frame.items, value)
  }
  check.frame = frame.parent
  if (check.report.count === frame.before) {
    requireLossless(check, frame.value, 'must be a dense lossless JSON array')
  }
}

function openUnion(check: Check, branches: readonly JsonObject[], value: unknown): void {
  const { frame: parent, union: outer } = check
  const fresh = { next: 0, matches: 0, failed: false }
  check.union = { kind: 'union', parent, outer, branches, value, ...fresh }
  check.frame = check.union
}

function advanceUnion(check: Check, frame: UnionFrame): void {
  if (frame.next > 0 && !frame.failed) frame.matches++
  frame.failed = false
  const branch = frame.branches[frame.next++]
  if (branch !== undefined) return visit(check, branch, frame.value)
  check.frame = frame.parent
  check.union = frame.outer
  if (frame.matches === 1) return
  fail(check, `must match exactly one oneOf branch (matched ${frame.matches})`)
}

function checkScalar(check: Check, node: JsonObject, type: ScalarType, value: unknown): void {
  if (!isScalarOf(type, value)) return void fail(check, `must be ${nameOf(type, value)}`)
  const literals = own(node, 'enum')
  if (Array.isArray(literals)) {
    spend(check, literals.length)
    if (!literals.includes(value)) {
      return void fail(check, `must be one of ${quoteLiterals(literals)}`)
    }
  }
  if (Object.hasOwn(node, 'const') && value !== node['const']) {
    fail(check, `must be ${quoteLiterals(node['const'])}`)
  }
}

function nameOf(type: ScalarType, value: unknown): string {
  if (type === 'null') return 'null'
  if (type === 'integer') return 'an integer'
  if (type !== 'number') return `a ${type}`
  return typeof value === 'number' && !isJsonNumber(value) ? 'a finite JSON number' : 'a number'
}

function requireLossless(check: Check, value: unknown, rule: string): void {
  if (check.lossless) return
  const limits = { ...UNLIMITED, nodes: MAX_STEPS - check.steps }
  const walked = walkJson(value, { limits, where: '', product: 'copy' })
  spend(check, walked.kind === 'done' ? walked.nodes : FAULT_STEPS)
  if (walked.kind === 'fault') fail(check, rule)
}

function own(node: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(node, key) ? node[key] : undefined
}
