import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { caisson, onlyObject } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

const folder = mkdtempSync(join(tmpdir(), 'caisson-approve-'))
afterAll(() => removeFolder(folder))
const at = (name: string): string => join(folder, name)
const config = at('caisson.config.json')

const write = (value: string, description: string = 'says it'): void =>
  writeFileSync(
    at('tool.mjs'),
    `export const say = {
      name: 'say', description: '${description}', parameters: { type: 'object' },
      output: { schema: {}, render: (_args, value) => [{ type: 'text', text: String(value) }] },
      execute: () => '${value}',
    }\n`,
  )
const configure = (settings: object): void =>
  writeFileSync(config, JSON.stringify({ stateDir: 'state', ...settings }))
beforeEach(() => writeFileSync(at('package.json'), '{}'))

test('ATK-125 run refuses what is not approved, and says what to do; approve lets it load', async () => {
  write('old')
  configure({ defaults: { pin: 'approved' } })
  const run = () => caisson(['run', at('tool.mjs'), '--config', config])
  const approve = ['approve', at('tool.mjs'), '--profile', 'pure', '--config', config]
  const first = await run()
  expect(first.code).toBe(2)
  expect(first.stderr).toContain(
    `LOAD_FAILED: cannot load ${at('tool.mjs')}: it was not approved for profile 'pure'`,
  )
  expect(first.stderr.trimEnd()).toMatch(
    /approve it: caisson approve \S+ --profile pure --config \S+$/,
  )
  expect((await caisson(approve)).stdout).toContain('for the first time')
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('old') as unknown })

  write('new', 'says something else')
  const changed = await caisson(['run', at('tool.mjs'), '--config', config, '--json'])
  expect(changed.code).toBe(2)
  expect(onlyObject(changed)).toMatchObject({ isError: true, error: { code: 'LOAD_FAILED' } })
  expect(changed.stderr).toContain('its code changed since it was approved')
  const { approved } = onlyObject(await caisson([...approve, '--json'])) as { approved: object[] }
  expect(approved).toMatchObject([
    { profile: 'pure', changed: ['its code', "the description of 'say'"] },
  ])
  expect(readFileSync(at('state/source-pins.json'), 'utf8')).toContain('tool.mjs')
}, 60_000)

test('ATK-125 a digest that the configuration pins holds for the source, however it is named', async () => {
  write('old')
  const listed = onlyObject(await caisson(['list', at('tool.mjs'), '--json']))
  const { tools } = listed as { tools: { digest: string }[] }
  configure({ sources: [{ source: 'tool.mjs', pin: tools[0]?.digest }] })
  const run = ['run', at('tool.mjs'), '--config', config]
  write('new')
  const changed = await caisson(run)
  expect([changed.code, changed.stdout]).toEqual([2, ''])
  expect(changed.stderr).toMatch(/^caisson: LOAD_FAILED: .*its code is not what is pinned; see/)
  configure({ sources: [{ source: 'tool.mjs', pin: 'sha256-abc' }] })
  const wrong = await caisson(run)
  expect([wrong.code, wrong.stdout]).toEqual([2, ''])
  expect(wrong.stderr).toMatch(/^caisson: CONFIG_INVALID: .*sources\.0\.pin: give 'approved', or/)
}, 60_000)

test('approve takes all of a configuration, and tells apart what cannot be loaded', async () => {
  write('old')
  configure({ sources: [{ source: 'tool.mjs', pin: 'approved' }, 'missing.mjs', 'builtin'] })
  const run = await caisson(['approve', '--config', config, '--json'])
  expect(run.code).toBe(2)
  expect(onlyObject(run)).toMatchObject({
    approved: [{ source: at('tool.mjs'), profile: 'pure' }],
    failures: [{ source: at('missing.mjs'), code: 'LOAD_FAILED' }],
  })
  const nothing = await caisson(['approve'])
  expect([nothing.code, nothing.stderr]).toEqual([
    2,
    'caisson: CONFIG_INVALID: approve: name a source, or --config with sources\n',
  ])
}, 60_000)
