import { CLASSIFIER_PROMPT } from '../../src/policies/auto-approval/models/prompts.ts'
import type {
  ModelReply,
  ModelRequest,
  ModelTransport,
} from '../../src/policies/auto-approval/models/transport.ts'

type Say = (request: ModelRequest) => object | ModelReply | Promise<object | ModelReply>

/** What the two models say: an object is their JSON answer. */
export interface ModelScript {
  readonly classifier?: Say
  readonly reviewer?: Say
}

/** A transport that keeps what it was asked. */
export interface ScriptedModels extends ModelTransport {
  readonly asked: { readonly role: 'classifier' | 'reviewer'; readonly document: string }[]
  count(role: 'classifier' | 'reviewer'): number
}

/** Creates it; a model without a script fails like one that cannot be reached. */
export function makeScriptedModels(script: ModelScript): ScriptedModels {
  const asked: ScriptedModels['asked'] = []
  return {
    asked,
    count: (role) => asked.filter((entry) => entry.role === role).length,
    async ask(request) {
      const role = request.system === CLASSIFIER_PROMPT ? 'classifier' : 'reviewer'
      asked.push({ role, document: request.user })
      const said = await script[role]?.(request)
      if (said === undefined) return { kind: 'failed', why: 'transport', ms: 0 }
      if ('kind' in said) return said as ModelReply
      return { kind: 'text', text: JSON.stringify(said), ms: 1 }
    },
    close: async () => undefined,
  }
}

/** Settings of a model that the script answers for. */
export const SCRIPTED_MODEL: { readonly baseUrl: string; readonly model: string } = {
  baseUrl: 'https://models.example/v1',
  model: 'm',
}
