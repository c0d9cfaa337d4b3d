import { freezeParsed } from '../json/freeze-parsed.ts'
import { tryMaterializeJson, type Materialized } from '../json/materialize.ts'
import type { Registration } from '../registry/registration.ts'
import { validateValue } from '../schema/validate.ts'
import type { BodyProjection, ProjectionOutcome } from '../types/engine.ts'
import type { ContentBlock } from '../types/content.ts'
import type { JsonValue } from '../types/json.ts'
import { failWith, type Failure } from './outcome.ts'
import { parseContent } from './parse-content.ts'

/** A canonical value with what the tool shows of it. */
export interface ShapedValue {
  readonly value: JsonValue
  readonly content: readonly ContentBlock[]
  readonly meta?: JsonValue
}

export type Shaped =
  | { readonly kind: 'shaped'; readonly shaped: ShapedValue }
  | { readonly kind: 'refused'; readonly failure: Failure }

export interface ShapeRequest {
  readonly registration: Registration
  readonly args: JsonValue
  /** Foreign: read once here. */
  readonly value: unknown
  readonly wantsMeta: boolean
  /** Replaces the names of the stages in a failure, for values that policy supplied. */
  readonly stage?: string
  /**
   * What the engine already ran together with the body; only used for the very value it returned,
   * and both are `JSON.parse`'s own.
   */
  readonly projection?: BodyProjection
}

/** Checks a value against the tool's schema, then lets the tool render and project it. */
export async function shapeValue(request: ShapeRequest): Promise<Shaped> {
  const { registration, args } = request
  const checked = checkValue(request)
  if ('failure' in checked) return { kind: 'refused', failure: checked.failure }
  const { value } = checked
  const { body } = registration
  const input = [args, value]
  const given = request.projection
  const rendered = given?.render ?? (await body.project({ kind: 'render', input }))
  const content = readContent(rendered, request)
  if ('failure' in content) return { kind: 'refused', failure: content.failure }
  const shown = { value, content: content.content }
  if (!request.wantsMeta || !registration.projections.has('presentationMeta')) {
    return { kind: 'shaped', shaped: shown }
  }
  const projected =
    given?.presentationMeta ?? (await body.project({ kind: 'presentationMeta', input }))
  const meta = readMeta(projected, request)
  if ('failure' in meta) return { kind: 'refused', failure: meta.failure }
  return { kind: 'shaped', shaped: { ...shown, meta: meta.meta } }
}

function checkValue(
  request: ShapeRequest,
): { readonly value: JsonValue } | { readonly failure: Failure } {
  const stage = request.stage ?? 'value'
  const made = freeze(request.value, 'value', request.projection !== undefined)
  if (made.kind === 'fault') {
    const { code, message, facts } = made
    if (code === 'JSON_LIMIT') return { failure: failWith(code, message, facts) }
    return refuse(stage, `the value is not lossless JSON: ${message}`)
  }
  const { value } = made
  const { outputSchema, validateOutput } = request.registration
  const violations =
    validateOutput?.(value) ?? validateValue(outputSchema, value, 'value', { materialized: true })
  if (violations.length === 0) return { value }
  return {
    failure: failWith(
      'INVALID_TOOL_OUTPUT',
      `the value does not fit the tool's output schema: ${violations.join('; ')}`,
      { stage, violations: [...violations] },
    ),
  }
}

function readContent(
  outcome: ProjectionOutcome,
  request: ShapeRequest,
): { readonly content: readonly ContentBlock[] } | { readonly failure: Failure } {
  const stage = request.stage ?? 'render'
  if (outcome.kind === 'failed') return refuse(stage, `render failed: ${outcome.message}`)
  const parsed = parseContent(outcome.value, request.projection?.render === outcome)
  return 'problem' in parsed ? refuse(stage, `what render returned ${parsed.problem}`) : parsed
}

function readMeta(
  outcome: ProjectionOutcome,
  request: ShapeRequest,
): { readonly meta: JsonValue } | { readonly failure: Failure } {
  const stage = request.stage ?? 'presentationMeta'
  if (outcome.kind === 'failed') return refuse(stage, `presentationMeta failed: ${outcome.message}`)
  const parsed = request.projection?.presentationMeta === outcome
  const made = freeze(outcome.value, 'meta', parsed)
  if (made.kind === 'value') return { meta: made.value }
  return refuse(stage, `what presentationMeta returned is no lossless JSON: ${made.message}`)
}

// What an engine ran together with the body has come as one text, and was parsed just now.
function freeze(value: unknown, where: string, parsed: boolean): Materialized {
  return parsed ? freezeParsed(value, where) : tryMaterializeJson(value, { where, freeze: true })
}

function refuse(stage: string, message: string): { readonly failure: Failure } {
  return { failure: failWith('INVALID_TOOL_OUTPUT', message, { stage }) }
}
