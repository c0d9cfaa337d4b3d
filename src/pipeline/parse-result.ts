import { createFailure, isCaissonError } from '../errors/caisson-error.ts'
import { isErrorCode } from '../errors/codes.ts'
import { freezeDeep } from '../json/freeze.ts'
import { materializeJson } from '../json/materialize.ts'
import type { JsonValue } from '../types/json.ts'
import type { Call } from './call.ts'
import { failWith, type Failure, type Outcome } from './outcome.ts'
import { parseContent } from './parse-content.ts'
import { unknownTool } from './dispatch.ts'
import { shapeValue } from './shape.ts'

/**
 * What a wrapper returned, as an outcome. A result this call minted stands as it is; any other
 * success is checked and rendered by the tool, any other failure copied.
 */
export async function parseWrapperResult(
  call: Call,
  listener: string,
  returned: unknown,
): Promise<Outcome> {
  if (typeof returned !== 'object' || returned === null) return malformed(call, listener)
  const minted = call.minted?.get(returned)
  if (minted !== undefined) return minted
  let record: Record<string, unknown>
  try {
    record = { ...returned } // One read of every own property; getters cannot change their mind.
  } catch {
    return malformed(call, listener)
  }
  const contexts = readContexts(call, record['additionalContexts'])
  if (contexts === undefined) return malformed(call, listener)
  if (record['isError'] === true) return copyFailure(call, listener, record, contexts)
  if (record['isError'] !== false) return malformed(call, listener)
  return shapeSuccess(call, listener, record, contexts)
}

async function shapeSuccess(
  call: Call,
  listener: string,
  record: Record<string, unknown>,
  contexts: readonly JsonValue[],
): Promise<Outcome> {
  const { registration, exec } = call
  if (!Object.hasOwn(record, 'value')) {
    const message = `wrapper '${listener}' returned a success without a value`
    return failWith('INVALID_TOOL_OUTPUT', message, { stage: 'value', listener }, contexts)
  }
  if (registration === undefined) return unknownTool(exec.name)
  const shaped = await shapeValue({
    registration,
    args: exec.arguments,
    value: record['value'],
    wantsMeta: exec.parent === undefined,
  })
  if (shaped.kind === 'refused') return { ...shaped.failure, contexts }
  const concludes = record['concludesTurn'] === true
  return { kind: 'success', ...shaped.shaped, contexts, concludes }
}

function copyFailure(
  call: Call,
  listener: string,
  record: Record<string, unknown>,
  contexts: readonly JsonValue[],
): Failure {
  try {
    const error = materializeJson(record['error'])
    if (typeof error !== 'object' || error === null || Array.isArray(error)) {
      return malformed(call, listener)
    }
    const { code, name: _name, message, ...facts } = error as { [key: string]: JsonValue }
    if (!isErrorCode(code) || typeof message !== 'string') return malformed(call, listener)
    const content = parseContent(record['content'] ?? [{ type: 'text', text: `Error: ${message}` }])
    if ('problem' in content) return malformed(call, listener)
    const meta =
      record['meta'] === undefined ? {} : { meta: freezeDeep(materializeJson(record['meta'])) }
    const failure = freezeDeep(createFailure(code, message, facts))
    return { kind: 'failure', failure, content: content.content, ...meta, contexts }
  } catch (error) {
    if (!isCaissonError(error)) throw error
    return malformed(call, listener)
  }
}

// What the body deferred counts even if a wrapper's own result does not repeat it.
function readContexts(call: Call, given: unknown): readonly JsonValue[] | undefined {
  if (given === undefined) return call.bodyContexts
  if (!Array.isArray(given)) return undefined
  try {
    const missing = call.bodyContexts.filter((context) => !given.includes(context))
    return [...missing, ...(freezeDeep(materializeJson(given)) as readonly JsonValue[])]
  } catch {
    return undefined // No lossless JSON: the wrapper's result is malformed as a whole.
  }
}

function malformed(call: Call, listener: string): Failure {
  const message = `wrapper '${listener}' must return a call result: { isError: false, value } or { isError: true, error }`
  const facts = { by: 'wrapper', listener, phase: 'tools/execute' }
  return failWith('BAD_DECISION', message, facts, call.bodyContexts)
}
