import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createConfiguredHost } from '../../src/host/configured-host.ts'
import { removeFolder } from '../helpers/folders.ts'

let folder = ''
const file = (name: string): string => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'caisson-configured-'))
})
afterAll(() => removeFolder(folder))

async function refusal(config: string): Promise<unknown> {
  try {
    const { host } = await createConfiguredHost({ config, stateDir: file('state') })
    await host.close()
    return undefined
  } catch (error) {
    return error
  }
}

describe('createConfiguredHost() refuses', () => {
  test.each([
    ['unknown key', { sorces: [] }, "sorces: unknown key; did you mean 'sources'?"],
    ['of a source', { sources: [{ source: 'x', profil: 'pure' }] }, "did you mean 'profile'?"],
    [
      'of a server',
      { mcpServers: { m: { comand: 'node' } } },
      "mcpServers.m.comand: unknown key; did you mean 'command'?",
    ],
    ['of serve', { serve: { htpp: '1' } }, "serve.htpp: unknown key; did you mean 'http'?"],
    [
      'of defaults',
      { defaults: { timeoutMS: 1 } },
      "defaults.timeoutMS: unknown key; did you mean 'timeoutMs'?",
    ],
    ['of guards', { guards: { x: 1 } }, 'guards.x: unknown key'],
    [
      'of approval',
      { approval: { timeoutActoin: 'reject' } },
      "approval.timeoutActoin: unknown key; did you mean 'timeoutAction'?",
    ],
    [
      'of a rule',
      { approval: { rules: [{ tools: ['a'], decide: 'maybe' }] } },
      'approval.rules.0.decide',
    ],
    ['trusted folder', { approval: { trustedDirs: ['/'] } }, 'approval.trustedDirs'],
    [
      'key of a model',
      {
        approval: {
          classifier: { baseUrl: 'https://m.example', model: 'm', apiKeyEnv: 'NO_SUCH_KEY' },
        },
      },
      'approval.classifier.apiKeyEnv',
    ],
    [
      'secret',
      { secrets: { T: { value: 'short', hosts: ['https://a.example'] } } },
      'secrets.T: it has fewer than',
    ],
    ['profile', { profiles: [{ name: 'mine', engin: 'isolate' }] }, 'profiles'],
    [
      'default profile',
      { defaults: { profile: 'pur' } },
      "defaults.profile: there is no profile 'pur'",
    ],
    ['tool policy', { tools: { x: { polcy: {} } } }, "did you mean 'policy'?"],
    ['code mode', { codeMode: { computeMS: 1 } }, "did you mean 'computeMs'?"],
  ])('%s: one line with file and key', async (_what, config, text) => {
    writeFileSync(file('bad.json'), JSON.stringify(config))
    const { code, message } = Object(await refusal(file('bad.json')))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toContain(`${file('bad.json')}: `)
    expect(message).toContain(text)
    expect(message).not.toContain('\n')
  })

  test('a pipe, a device, a folder and a huge file are refused at once', async () => {
    mkdirSync(file('sub'))
    execFileSync('mkfifo', [file('pipe.json')])
    symlinkSync('/dev/zero', file('zero.json'))
    symlinkSync('gone.json', file('dangling.json'))
    writeFileSync(file('huge.json'), ' '.repeat(5 * 1024 * 1024))
    const cases = [
      ['pipe.json', 'it is no regular file'],
      ['zero.json', 'it is no regular file'],
      ['sub', 'it is no regular file'],
      ['dangling.json', 'there is no such file'],
      ['huge.json', 'it is larger than 4 MB'],
    ] as const
    for (const [name, text] of cases) {
      const { code, message } = Object(await refusal(file(name)))
      expect([name, code]).toEqual([name, 'CONFIG_INVALID'])
      expect(message).toContain(`${file(name)}: ${text}`)
    }
  })

  test('a profile that is a pipe, without waiting for it', async () => {
    mkdirSync(file('profiles'))
    execFileSync('mkfifo', [file('profiles/mine.json')])
    writeFileSync(file('piped.json'), '{ "profiles": ["profiles"] }')
    const { code, message } = Object(await refusal(file('piped.json')))
    expect(code).toBe('CONFIG_INVALID')
    expect(message).toBe(`${file('piped.json')}: profile mine.json: it is no regular file`)
  })
})
