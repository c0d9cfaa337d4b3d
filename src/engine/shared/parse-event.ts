import { z } from 'zod'
import type { CaissonError, ErrorFacts } from '../../errors/caisson-error.ts'
import type { ToolProgress } from '../../types/call.ts'
import type {
  BodyOutcome,
  BodyProjection,
  ProjectionKind,
  ProjectionOutcome,
} from '../../types/engine.ts'
import type { JsonValue } from '../../types/json.ts'

const PROJECTIONS = [
  'render',
  'presentationMeta',
  'finalizeContent',
  'isConcurrencySafe',
  'presentCall',
  'presentResult',
] as const satisfies readonly ProjectionKind[]

const json = z.custom<JsonValue>((value) => value !== undefined)
const projection = z.union([
  z.strictObject({ kind: z.literal('returned'), value: json.optional() }),
  z.strictObject({ kind: z.literal('failed'), message: z.string() }),
])
const event = z.discriminatedUnion('k', [
  z.strictObject({ k: z.literal('started') }),
  z.strictObject({ k: z.literal('phase'), phase: z.enum(PROJECTIONS) }),
  z.strictObject({ k: z.literal('log'), level: z.string().max(16), text: z.string() }),
  z.strictObject({ k: z.literal('dropped'), entries: z.int().nonnegative() }),
  z.strictObject({ k: z.literal('context'), message: json }),
  z.strictObject({ k: z.literal('conclude') }),
  z.strictObject({
    k: z.literal('progress'),
    update: z.object({
      progress: z.number(),
      total: z.number().optional(),
      message: z.string().optional(),
    }),
  }),
  z.strictObject({
    k: z.literal('request'),
    n: z.int().positive(),
    capability: z.string().max(64),
    payload: json,
  }),
  z.strictObject({ k: z.literal('settle'), outcome: json }),
])
const outcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('returned'),
    value: json,
    projection: z
      .strictObject({ render: projection, presentationMeta: projection.optional() })
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('unusable'),
    code: z.enum(['INVALID_TOOL_OUTPUT', 'JSON_LIMIT', 'OUTPUT_LIMIT']),
    message: z.string().max(4_096),
    // Of an error only these are the realm's to say; what it adds is not believed.
    facts: z.object({
      stage: z.literal('value').optional(),
      limit: z.string().max(64).optional(),
      max: z.number().optional(),
      where: z.string().max(4_096).optional(),
    }),
  }),
  z.strictObject({
    kind: z.literal('threw'),
    thrown: z.strictObject({
      name: z.string().max(256),
      message: z.string().max(4_096),
      code: z.string().max(256).optional(),
    }),
    refusal: z.string().optional(),
  }),
])

/** One thing a realm says during a call. */
export type RealmEvent =
  | Exclude<z.infer<typeof event>, { k: 'progress' }>
  | { readonly k: 'progress'; readonly update: ToolProgress }

/** A realm's event, or undefined when its shape is wrong. */
export function parseEvent(body: unknown): RealmEvent | undefined {
  if (isSettle(body) || isStarted(body) || isPhase(body)) return body
  const parsed = event.safeParse(body)
  return parsed.success ? (parsed.data as RealmEvent) : undefined
}

type Untimed<T> = T extends unknown ? Omit<T, 'prepareMs' | 'bodyMs'> : never

/** What `settle` carried, as an outcome; a wrong shape is a protocol error. */
export function parseOutcome(
  body: unknown,
  refusals: ReadonlyMap<string, CaissonError>,
): Untimed<BodyOutcome> {
  if (isReturned(body)) return body
  const parsed = outcome.safeParse(body)
  if (!parsed.success) {
    return {
      kind: 'died',
      code: 'PROTOCOL_ERROR',
      message: "the tool's sandbox sent an answer of the wrong shape",
      started: true,
      facts: { started: true },
    }
  }
  const { data } = parsed
  if (data.kind === 'returned') {
    return data.projection === undefined
      ? { kind: 'returned', value: data.value }
      : { kind: 'returned', value: data.value, projection: data.projection as BodyProjection }
  }
  if (data.kind === 'unusable') return { ...data, facts: { ...data.facts } as ErrorFacts }
  const { name, message, code } = data.thrown
  const thrown = { name, message, ...(code === undefined ? {} : { code }) }
  const refusal = data.refusal === undefined ? undefined : refusals.get(data.refusal)
  if (refusal === undefined) return { kind: 'threw', thrown }
  return { kind: 'threw', thrown, refusal }
}

/** What a projection answered; a wrong shape counts as a throw. */
export function parseProjection(body: unknown): ProjectionOutcome {
  const parsed = projection.safeParse(body)
  if (!parsed.success) return { kind: 'failed', message: 'the answer has the wrong shape' }
  const { data } = parsed
  if (data.kind === 'failed') return data
  return data.value === undefined ? { kind: 'returned' } : { kind: 'returned', value: data.value }
}

// What nearly every call says, checked by hand: the same verdict as the schemas above, at a
// tenth of their cost in code that has gone cold since the last call.
function isSettle(body: unknown): body is RealmEvent & { k: 'settle' } {
  return hasKeys(body, ['k', 'outcome']) && body['k'] === 'settle'
}

function isStarted(body: unknown): body is RealmEvent & { k: 'started' } {
  return hasKeys(body, ['k']) && body['k'] === 'started'
}

function isPhase(body: unknown): body is RealmEvent & { k: 'phase' } {
  if (!hasKeys(body, ['k', 'phase']) || body['k'] !== 'phase') return false
  return PROJECTIONS.some((kind) => kind === body['phase'])
}

type Returned = Untimed<BodyOutcome & { kind: 'returned' }>

function isReturned(body: unknown): body is Returned {
  if (hasKeys(body, ['kind', 'value'])) return body['kind'] === 'returned'
  if (!hasKeys(body, ['kind', 'value', 'projection']) || body['kind'] !== 'returned') return false
  const { projection: both } = body
  if (hasKeys(both, ['render'])) return isProjection(both['render'])
  if (!hasKeys(both, ['render', 'presentationMeta'])) return false
  return isProjection(both['render']) && isProjection(both['presentationMeta'])
}

function isProjection(body: unknown): boolean {
  if (hasKeys(body, ['kind', 'value']) || hasKeys(body, ['kind']))
    return body['kind'] === 'returned'
  return hasKeys(body, ['kind', 'message']) && body['kind'] === 'failed' && isText(body['message'])
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether a parsed JSON value is an object with exactly these keys. */
function hasKeys(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  let count = 0
  for (const key in value) {
    if (!keys.includes(key)) return false
    count += 1
  }
  return count === keys.length
}
