import { describe, expect, test } from 'vitest'
import { resolveApprovalSettings } from '../../../../src/policies/auto-approval/config/resolve.ts'
import { compileNameList } from '../../../../src/policies/auto-approval/decide/lists.ts'
import { compileRules } from '../../../../src/policies/auto-approval/rules/compile.ts'
import { testRules } from '../../../../src/policies/auto-approval/rules/test-rules.ts'
import type { RuleInput } from '../../../../src/policies/auto-approval/rules/types.ts'
import type { AssessedCall } from '../../../../src/policies/auto-approval/types.ts'
import { makeAssessed, makeShell, makeTarget } from '../../../helpers/assessed-call.ts'
import { makeApprovalScene } from '../../../helpers/approval-scene.ts'
import { toFailed } from '../../../helpers/make-call.ts'

const CALLER = { agent: 'main', isSubagent: false, workspace: '/ws' }
const shell = (segments: readonly string[], extra = {}): AssessedCall =>
  makeAssessed(['UNKNOWN_COMMAND'], { shell: makeShell(segments, extra) })

function decide(rules: readonly RuleInput[], assessed: AssessedCall, args: object = {}): unknown {
  const call = { name: 'bash', arguments: args as never }
  return compileRules(rules).match(call, assessed, CALLER)?.decide
}

describe('what a rule set refuses', () => {
  test.each([
    [
      'a back-reference',
      { tools: ['bash'], match: '(a)\\1', decide: 'deny' },
      /rules\.1 \(rule 'x'\)\.match/,
    ],
    [
      'an unknown key',
      { tools: ['bash'], mach: 'a', decide: 'deny' },
      /rules\.1\.mach \(rule 'x'\): unknown key; did you mean 'match'/,
    ],
    ['an unknown decision', { tools: ['bash'], decide: 'maybe' }, /rules\.1\.decide \(rule 'x'\)/],
    ['an empty tool list', { tools: [], decide: 'deny' }, /rules\.1\.tools \(rule 'x'\)/],
  ])('RULE-01 %s is an error that names index, id and key', async (_what, rule, message) => {
    const rules = [
      { tools: ['a'], decide: 'deny' },
      { id: 'x', ...rule },
    ]
    expect(() => resolveApprovalSettings({ rules })).toThrow(message)
    const scene = makeApprovalScene({ settings: { rules: [{ tools: ['a'], decide: 'deny' }] } })
    expect(() => scene.host.approval.configure({ rules } as never)).toThrow(message)
    toFailed(await scene.call('a'))
    expect(scene.sources()).toEqual(['rule-deny'])
  })
})

describe('what a rule covers', () => {
  test('RULE-03 an allow for one command does not cover a second one', () => {
    const rules: RuleInput[] = [{ tools: ['bash'], match: '^npm test$', decide: 'allow' }]
    expect(decide(rules, shell(['npm test']))).toBe('allow')
    expect(decide(rules, shell(['npm test', 'curl https://example.com']))).toBeUndefined()
  })

  test('RULE-04 a refusal covers a line of which any command matches', () => {
    const rules: RuleInput[] = [{ tools: ['bash'], match: '(^| )docker( |$)', decide: 'deny' }]
    expect(decide(rules, shell(['npm test', 'docker ps']))).toBe('deny')
    expect(decide(rules, shell(['ls'], { line: 'FOO=1 docker ps' }))).toBe('deny')
  })

  test('RULE-06 an allow covers no line whose commands are not what they seem', () => {
    const rules: RuleInput[] = [{ tools: ['bash'], match: '.*', decide: 'allow' }]
    expect(decide(rules, shell(['ls']))).toBe('allow')
    for (const code of ['ENV_HOOK', 'DYNAMIC_COMMAND', 'REDEFINES']) {
      expect(decide(rules, shell(['ls'], { codes: [code] }))).toBeUndefined()
    }
    expect(decide(rules, shell([], { parsed: false, line: 'ls "' }))).toBeUndefined()
    expect(
      decide([{ tools: ['bash'], decide: 'allow' }], shell([], { parsed: false })),
    ).toBeUndefined()
  })

  test('RULE-07 a hostile argument costs no time', () => {
    const rules: RuleInput[] = [{ tools: ['bash'], field: 'args', match: '(a+)+$', decide: 'deny' }]
    const compiled = compileRules(rules)
    const call = { name: 'bash', arguments: { text: `${'a'.repeat(100_000)}!` } }
    compiled.match({ name: 'bash', arguments: { text: 'a' } }, makeAssessed([]), CALLER)
    const begun = process.threadCpuUsage()
    expect(compiled.match(call, makeAssessed([]), CALLER)).toBeUndefined()
    const { user } = process.threadCpuUsage(begun)
    expect(user / 1_000).toBeLessThan(50)
  })

  test('a path rule looks at every spelling, and an allow needs all of them', () => {
    const inside = makeAssessed([], { targets: [makeTarget('/ws/a')] })
    const linked = makeAssessed([], {
      targets: [{ role: 'write', path: '/ws/a', resolved: '/elsewhere/a' }],
    })
    const allow: RuleInput[] = [{ tools: ['b*'], field: 'path', match: '^/ws/', decide: 'allow' }]
    expect(decide(allow, inside)).toBe('allow')
    expect(decide(allow, linked)).toBeUndefined()
    expect(decide(allow, makeAssessed([]))).toBeUndefined()
    const deny: RuleInput[] = [{ tools: ['bash'], field: 'path', match: '^/else', decide: 'deny' }]
    expect(decide(deny, linked)).toBe('deny')
  })

  test('not, agent and workspace narrow a rule', () => {
    const urls = makeAssessed([], { urls: ['https://corp.example/x'] })
    const other = makeAssessed([], { urls: ['https://evil.example/x'] })
    const rule: RuleInput = {
      tools: ['bash'],
      field: 'url',
      match: '^https://corp',
      not: true,
      decide: 'deny',
    }
    expect(decide([rule], urls)).toBeUndefined()
    expect(decide([rule], other)).toBe('deny')
    expect(decide([{ tools: ['bash'], agent: 'subagent', decide: 'deny' }], urls)).toBeUndefined()
    expect(decide([{ tools: ['bash'], agent: 'main', decide: 'deny' }], urls)).toBe('deny')
    expect(decide([{ tools: ['bash'], workspace: '/other', decide: 'deny' }], urls)).toBeUndefined()
    expect(decide([{ tools: ['bash'], workspace: '/ws', decide: 'human' }], urls)).toBe('human')
  })

  test('RULE-09 samples are reported with the rule that covers each', () => {
    const rules: RuleInput[] = [{ id: 'push', tools: ['bash'], match: '^git push', decide: 'deny' }]
    const assessor = {
      assess: ({ arguments: args }: { arguments: unknown }) =>
        shell([(args as { command: string }).command]),
    }
    const reports = testRules(
      rules,
      [
        { tool: 'bash', arguments: { command: 'git push x' }, expect: 'deny' },
        { tool: 'bash', arguments: { command: 'ls' }, expect: 'allow' },
      ],
      { assessor, workspace: '/ws' },
    )
    expect(reports).toMatchObject([
      { rule: 'push', verdict: 'deny', ok: true },
      { rule: undefined, verdict: 'none', ok: false },
    ])
  })
})

test('RULE-10 web_* means all that begins so, and * means nothing', () => {
  expect(compileNameList(['web_*']).has('web_fetch')).toBe(true)
  expect(compileNameList(['*']).has('web_fetch')).toBe(false)
  expect(compileNameList(['w*b']).has('web')).toBe(false)
})
