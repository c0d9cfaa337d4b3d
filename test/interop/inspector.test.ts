import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeInterop, interopProgram } from '../helpers/interop.ts'
import { makeFolder } from '../helpers/folders.ts'
import { BIN, ROOT, serveHttp } from '../helpers/serving.ts'

const INSPECTOR = interopProgram('@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const UNITS = join(ROOT, 'examples/community/units.mjs')

interface Inspected {
  readonly code: number
  readonly json: unknown
  readonly stderr: string
}

/** Runs the inspector's command line once. */
async function inspect(args: readonly string[]): Promise<Inspected> {
  const home = makeFolder('caisson-inspector-')
  const env = { PATH: process.env['PATH'], HOME: home, CAISSON_HOME: home }
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [INSPECTOR, '--cli', ...args],
      { cwd: ROOT, env },
      (error, stdout, stderr) => {
        const json: unknown = stdout.trim() === '' ? undefined : JSON.parse(stdout)
        resolve({ code: Number(error?.code ?? 0), json, stderr })
      },
    )
  })
}

const CALL = [
  '--method',
  'tools/call',
  '--tool-name',
  'unit_convert',
  '--tool-arg',
  'value=2',
  'from=km',
  'to=m',
]

describeInterop('the inspector against serve', () => {
  test(
    'over stdio it lists tools whose schemas it finds portable, and calls one',
    { timeout: 60_000 },
    async () => {
      const target = [process.execPath, BIN, 'serve', UNITS, '--tools', 'builtin']
      const listed = await inspect([...target, '--method', 'tools/list', '--strict'])
      expect(listed.code, listed.stderr).toBe(0)
      const { tools } = listed.json as { tools: { name: string }[] }
      expect(tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['bash', 'unit_convert']),
      )
      const called = await inspect([...target, ...CALL])
      expect(called.json).toMatchObject({ structuredContent: { value: 2_000, unit: 'm' } })
    },
  )

  test('over HTTP the token lets it in, and nothing else does', { timeout: 60_000 }, async () => {
    const { url, token } = await serveHttp([UNITS])
    const target = ['--transport', 'http', '--server-url', url]
    const header = ['--header', `authorization: Bearer ${token}`]
    const listed = await inspect([...target, ...header, '--method', 'tools/list'])
    expect(listed.json).toMatchObject({ tools: [{ name: 'unit_convert' }] })
    const called = await inspect([...target, ...header, ...CALL])
    expect(called.json).toMatchObject({ structuredContent: { value: 2_000, unit: 'm' } })
    const wrong = ['--header', `authorization: Bearer ${token}x`]
    const refused = await inspect([...target, ...wrong, '--method', 'tools/list'])
    expect(refused.code).not.toBe(0)
    expect(refused.json).toBeUndefined()
  })
})
