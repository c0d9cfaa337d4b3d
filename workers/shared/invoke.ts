// Runs inside hostile realms: everything used after tool code has run is captured at the top.
import { hasOwn, parseText, quoteText } from '../../src/json/intrinsics.ts'
import { utf8Bytes } from '../../src/json/bytes.ts'
import type { JsonLimits } from '../../src/json/limits.ts'
import { tryWriteJson } from '../../src/json/write.ts'
import { validateValue } from '../../src/schema/validate.ts'
import type { ProjectionKind } from '../../src/types/engine.ts'
import type { JsonObject } from '../../src/types/json.ts'
import { freezeJson } from './freeze-json.ts'
import { toThrownRecord } from './thrown.ts'
import type { FoundTool } from './toolbox.ts'

/** What invoking a body needs besides the tool and its arguments. */
export interface InvokeOptions {
  readonly wantsMeta: boolean
  readonly limits: JsonLimits & { readonly outputBytes: number }
  /** Recognises a refusal the host minted for this call; by reference, never by text. */
  refusalOf(thrown: unknown): string | undefined
  /** Told before each projection, which has a budget of its own. */
  onPhase(phase: 'render' | 'presentationMeta'): void
}

/** A body with what it is given. */
export interface BodyCall {
  readonly tool: FoundTool
  readonly args: unknown
  readonly exec: unknown
}

const PROJECTION_BYTES = 256 * 1024
const { apply, get } = Reflect
const Failure = TypeError
const toObject: (value: unknown) => object = Object

/** Runs the body and, if its value passes the tool's own schema, its projections. Returns JSON text. */
export function invokeBody(
  tool: FoundTool,
  args: unknown,
  exec: unknown,
  options: InvokeOptions,
): Promise<string> {
  return new Promise((resolve) => enterBody({ tool, args, exec }, options, resolve))
}

/**
 * The same without a promise between the body and whoever waits for it: awaiting one of ours in a
 * realm whose `Promise.prototype` a tool has changed would hand the answer to the tool first.
 */
export function enterBody(
  call: BodyCall,
  options: InvokeOptions,
  done: (text: string) => void,
): void {
  void (async () => {
    let value: unknown
    try {
      value = await apply(callable(call.tool['execute']), call.tool, [call.args, call.exec])
    } catch (thrown) {
      const refusal = options.refusalOf(thrown)
      const cited = refusal === undefined ? '' : `,"refusal":${quoteText(refusal)}`
      return done(`{"kind":"threw","thrown":${writeThrown(thrown)}${cited}}`)
    }
    done(writeReturned(call, value, options))
  })()
}

function writeReturned(call: BodyCall, value: unknown, options: InvokeOptions): string {
  const written = tryWriteJson(value, options.limits, 'value')
  if (written.kind === 'fault') return writeFault(written)
  const { outputBytes } = options.limits
  // A scan only where the bytes could be too many: no character takes more than 3 per code unit.
  if (written.text.length * 3 > outputBytes && utf8Bytes(written.text) > outputBytes) {
    return writeUnusable('OUTPUT_LIMIT', 'the value is longer than the profile allows', '{}')
  }
  return `{"kind":"returned","value":${written.text}${project(call, written.text, options)}}`
}

/** Runs one pure function of a definition. Returns JSON text. */
export function invokeProjection(
  tool: FoundTool,
  kind: ProjectionKind,
  input: readonly unknown[],
  limits: JsonLimits,
): string {
  try {
    const ofOutput = kind === 'render' || kind === 'presentationMeta'
    const owner = ofOutput ? toObject(tool['output']) : tool
    for (let index = 0; index < input.length; index += 1) freezeJson(input[index])
    const value = apply(callable(get(owner, kind)), owner, input)
    if (value === undefined) return '{"kind":"returned"}'
    const written = tryWriteJson(value, { ...limits, bytes: PROJECTION_BYTES }, kind)
    if (written.kind === 'text') return `{"kind":"returned","value":${written.text}}`
    return `{"kind":"failed","message":${quoteText(written.message)}}`
  } catch (thrown) {
    return `{"kind":"failed","message":${quoteText(toThrownRecord(thrown).message)}}`
  }
}

/** Name, message and code of a thrown value as JSON text. */
export function writeThrown(thrown: unknown): string {
  const record = toThrownRecord(thrown)
  const { name, message } = record
  // A record without a code must not find one on a prototype that the tool has changed.
  const code = hasOwn(record, 'code') ? record.code : undefined
  const coded = code === undefined ? '' : `,"code":${quoteText(code)}`
  return `{"name":${quoteText(name)},"message":${quoteText(message)}${coded}}`
}

function project({ tool, args }: BodyCall, text: string, options: InvokeOptions): string {
  const output = readOutput(tool)
  const value = freezeJson(parseText(text))
  if (output === undefined || !fits(output, value)) return ''
  options.onPhase('render')
  const render = invokeProjection(tool, 'render', [args, value], options.limits)
  const head = `,"projection":{"render":${render}`
  if (!options.wantsMeta || !hasProjector(output)) return `${head}}`
  options.onPhase('presentationMeta')
  const meta = invokeProjection(tool, 'presentationMeta', [args, value], options.limits)
  return `${head},"presentationMeta":${meta}}`
}

// Only a value that fits the author's own schema is rendered. The host checks it again and refuses
// the others, so nothing depends on this verdict, nor on what a tool can do to the validator.
function fits(output: object, value: unknown): boolean {
  try {
    const schema = get(output, 'schema') as JsonObject
    return validateValue(schema, value, 'value', { materialized: true }).length === 0
  } catch {
    return false // The host asks for the rendering itself.
  }
}

function hasProjector(output: object): boolean {
  try {
    return typeof get(output, 'presentationMeta') === 'function'
  } catch {
    return true // Running it fails the same way, at the stage it belongs to.
  }
}

function readOutput(tool: FoundTool): object | undefined {
  try {
    return toObject(tool['output'])
  } catch {
    return undefined // Unreadable here, unreadable for the host's own request.
  }
}

function writeFault(fault: { code: string; message: string; facts: object }): string {
  if (fault.code !== 'JSON_LIMIT') {
    return writeUnusable('INVALID_TOOL_OUTPUT', fault.message, '{"stage":"value"}')
  }
  return writeUnusable('JSON_LIMIT', fault.message, writeFacts(fault.facts))
}

function writeFacts(facts: object): string {
  const written = tryWriteJson(facts, { depth: 1, nodes: 16, bytes: 4_096 }, 'facts')
  return written.kind === 'text' ? written.text : '{}'
}

function writeUnusable(code: string, message: string, facts: string): string {
  return `{"kind":"unusable","code":"${code}","message":${quoteText(message)},"facts":${facts}}`
}

function callable(value: unknown): (...args: unknown[]) => unknown {
  if (typeof value !== 'function') throw new Failure('not a function')
  return value as (...args: unknown[]) => unknown
}
