import { describe, expect, test } from 'vitest'
import { redactOutcome } from '../../../../src/policies/auto-approval/redaction/redact-outcome.ts'
import type { Call } from '../../../../src/pipeline/call.ts'
import type { Outcome } from '../../../../src/pipeline/outcome.ts'
import { makeAssessed } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene, type ApprovalScene } from '../../../helpers/approval-scene.ts'
import { makeTool, toFailed, toSuccess } from '../../../helpers/make-call.ts'
import { SCRIPTED_MODEL } from '../../../helpers/scripted-models.ts'

const TOKEN = 'ghp_abcdefghijklmnop'

function addTool(scene: ApprovalScene, execute: () => unknown, extra: object = {}): void {
  scene.host.tools.register(
    makeTool('t', {
      output: {
        schema: { type: 'object', properties: { text: { type: 'string' } } },
        render: (_args, value) => [{ type: 'text', text: `shown ${JSON.stringify(value)}` }],
        presentationMeta: (_args, value) => ({ meta: value as never }),
      },
      execute,
      ...extra,
    }),
  )
}

describe('what is delivered', () => {
  test('RED-02 a masked value is rendered again, checked, and counted once', async () => {
    const scene = makeApprovalScene()
    addTool(scene, () => ({ text: TOKEN }))
    const result = toSuccess(await scene.call('t'))
    expect(result.value).toEqual({ text: '[redacted]' })
    expect(result.content).toEqual([{ type: 'text', text: 'shown {"text":"[redacted]"}' }])
    expect(result.meta).toEqual({ meta: { text: '[redacted]' } })
    expect(scene.observations()).toMatchObject([{ kind: 'result-redacted', tool: 't', count: 1 }])
  })

  test('RED-03 a failure is masked in its content and in its facts', async () => {
    const scene = makeApprovalScene()
    addTool(scene, () => {
      throw new Error(`refused: Bearer abcdefghijklmnop`)
    })
    const result = toFailed(await scene.call('t'))
    expect(JSON.stringify(result)).not.toContain('abcdefghijklmnop')
    expect(result.error.message).toBe('refused: Bearer [redacted]')
  })

  test('RED-04 when masking fails nothing of the original is delivered', async () => {
    const outcome: Outcome = {
      kind: 'success',
      value: { text: TOKEN },
      content: [{ type: 'text', text: TOKEN }],
      meta: TOKEN,
      contexts: [TOKEN],
      concludes: false,
    }
    const broken = (): never => {
      throw new Error(TOKEN)
    }
    const { outcome: shown, failed } = await redactOutcome({} as Call, outcome, 'shapes', broken)
    expect(failed).toBe(true)
    expect(JSON.stringify(shown)).not.toContain(TOKEN)
    expect(shown).toMatchObject({
      kind: 'failure',
      failure: { code: 'DENIED', by: 'policy', reasons: ['REDACTION_FAILED'], ran: true },
    })
  })

  test('RED-05 a masked value that no longer fits is withheld', async () => {
    const scene = makeApprovalScene()
    addTool(scene, () => ({ text: TOKEN }), {
      output: {
        schema: { type: 'object', properties: { text: { type: 'string', enum: [TOKEN] } } },
        render: () => [],
      },
    })
    const { error } = toFailed(await scene.call('t'))
    expect(error).toMatchObject({ code: 'DENIED', by: 'policy', ran: true })
    expect(error['reasons']).toEqual(['REDACTION_FAILED'])
    expect(scene.observations()).toMatchObject([{ kind: 'mask-failed', tool: 't' }])
  })

  test('RED-01 off delivers what the tool said', async () => {
    const scene = makeApprovalScene({ settings: { redactResults: 'off' } })
    addTool(scene, () => ({ text: TOKEN }))
    expect(toSuccess(await scene.call('t')).value).toEqual({ text: TOKEN })
    expect(scene.observations()).toEqual([])
  })

  test('RED-09 questions, records and evidence are masked even with off', async () => {
    const scene = makeApprovalScene({
      reads: { a: makeAssessed(['GIT_CHANGE']) },
      settings: { redactResults: 'off', classifier: SCRIPTED_MODEL },
      classifier: () => ({ decision: 'ask', reason: `because of ${TOKEN}` }),
    })
    const person = scene.person()
    const { result } = await scene.start('a', { note: `x ${TOKEN}` })
    person.answer({ decision: 'allow', note: `key ${TOKEN}` })
    toSuccess(await result)
    const everything = JSON.stringify([person.questions, scene.store.lines, scene.models.asked])
    expect(everything).not.toContain(TOKEN)
    expect(everything).toContain('[redacted]')
  })
})
