import { CaissonError } from '../errors/caisson-error.ts'
import type { Answerer, Answerers, ApprovalQuestion } from './types.ts'

/** Creates an empty list of answerers. */
export function createAnswerers(): Answerers {
  let list: readonly Answerer[] = []
  return {
    add(answerer) {
      const checked = parseAnswerer(answerer, list)
      list = [...list, checked]
      return () => {
        list = list.filter((kept) => kept !== checked)
      }
    },
    availableFor: (question) => list.filter((answerer) => isAvailable(answerer, question)),
  }
}

function isAvailable(answerer: Answerer, question: ApprovalQuestion): boolean {
  try {
    return answerer.available(question)
  } catch {
    return false // Who cannot say whether it is there is not there.
  }
}

function parseAnswerer(given: unknown, known: readonly Answerer[]): Answerer {
  const answerer = Object(given) as Answerer
  const { id, kind } = answerer
  const problems = [
    ...(typeof id === 'string' && id !== '' ? [] : ['id must be a text']),
    ...(kind === 'human' || kind === 'program' ? [] : ["kind must be 'human' or 'program'"]),
    ...(typeof answerer.available === 'function' ? [] : ['available must be a function']),
    ...(typeof answerer.ask === 'function' ? [] : ['ask must be a function']),
    ...(known.some((other) => other.id === id) ? [`there is an answerer '${id}' already`] : []),
  ]
  if (problems.length === 0) {
    return {
      id,
      kind,
      available: (question) => answerer.available(question),
      ask: (question, signal) => answerer.ask(question, signal),
      advise: (askId, suggestion) => answerer.advise?.(askId, suggestion),
    }
  }
  throw new CaissonError('CONFIG_INVALID', `addAnswerer(): ${problems.join('; ')}`)
}
