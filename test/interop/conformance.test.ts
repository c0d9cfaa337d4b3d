import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeInterop, INTEROP, interopProgram } from '../helpers/interop.ts'
import { makeFolder } from '../helpers/folders.ts'
import { serveHttp } from '../helpers/serving.ts'
import { startTokenProxy } from '../helpers/token-proxy.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/interop/', import.meta.url))
const TOOLS = join(FIXTURES, 'conformance-tools.mjs')
const CONFIG = join(FIXTURES, 'conformance-config.json')
const baseline = (revision: string): string =>
  fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url))

interface Check {
  readonly id: string
  readonly status: string
}

interface Run {
  readonly code: number
  readonly printed: string
  /** Checks of a scenario that failed. */
  failed(scenario: string): string[]
}

/** Runs a release of the suite against a server; the suite cannot send a token, a proxy adds it. */
async function runSuite(release: string, args: readonly string[]): Promise<Run> {
  const { url, token } = await serveHttp([TOOLS, '--config', CONFIG])
  const open = await startTokenProxy(url, token)
  const results = makeFolder('caisson-conformance-')
  const program = interopProgram(`@modelcontextprotocol/${release}/dist/index.js`)
  const command = [program, 'server', '--url', open, '--output-dir', results, ...args]
  const { code, printed } = await new Promise<{ code: number; printed: string }>((resolve) => {
    execFile(process.execPath, command, { cwd: INTEROP }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), printed: stdout + stderr })
    })
  })
  return {
    code,
    printed,
    failed(scenario) {
      const folder = readdirSync(results).find((name) => name.startsWith(`server-${scenario}-`))
      const text = readFileSync(join(results, folder ?? scenario, 'checks.json'), 'utf8')
      const checks = JSON.parse(text) as Check[]
      return checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)
    },
  }
}

const passed = (printed: string): string[] =>
  [...printed.matchAll(/^✓ ([\w-]+): /gm)].map(([, scenario = '']) => scenario)

describeInterop('the conformance suite against serve', () => {
  test(
    'every scenario of 2025-11-25 that is about tools passes',
    { timeout: 120_000 },
    async () => {
      const expected = ['--expected-failures', baseline('2025-11-25')]
      const { code, printed } = await runSuite('conformance', ['--suite', 'all', ...expected])
      expect(code, printed).toBe(0)
      expect(passed(printed)).toEqual(
        expect.arrayContaining([
          'server-initialize',
          'logging-set-level',
          'ping',
          'tools-list',
          'tools-call-simple-text',
          'tools-call-image',
          'tools-call-audio',
          'tools-call-embedded-resource',
          'tools-call-mixed-content',
          'tools-call-with-logging',
          'tools-call-error',
          'tools-call-with-progress',
          'json-schema-2020-12',
          'server-sse-multiple-streams',
          'dns-rebinding-protection',
        ]),
      )
    },
  )

  test(
    'every scenario of 2026-07-28 that is about tools passes',
    { timeout: 120_000 },
    async () => {
      const expected = ['--expected-failures', baseline('2026-07-28')]
      const given = ['--requirements', '2026-07-28', ...expected]
      const { code, printed, failed } = await runSuite('conformance-next', given)
      expect(code, printed).toBe(0)
      expect(passed(printed)).toEqual(
        expect.arrayContaining([
          'tools-list',
          'tools-call-simple-text',
          'tools-call-image',
          'tools-call-audio',
          'tools-call-embedded-resource',
          'tools-call-mixed-content',
          'tools-call-error',
          'tools-call-with-progress',
          'server-sse-multiple-streams',
          'dns-rebinding-protection',
          'input-required-result-request-state',
          'input-required-result-missing-input-response',
          'input-required-result-result-type',
          'input-required-result-unsupported-methods',
          'input-required-result-tampered-state',
          'input-required-result-validate-input',
          'json-schema-2020-12',
          'http-header-validation',
        ]),
      )
      expect(failed('server-stateless')).toEqual([
        'sep-2575-server-rejects-undeclared-capability',
        'sep-2575-missing-capability-http-400',
      ])
      expect(failed('caching')).toEqual([
        'sep-2549-prompts-list-caching-hints',
        'sep-2549-resources-list-caching-hints',
        'sep-2549-resources-templates-list-caching-hints',
      ])
    },
  )
})

const CLIENT = join(FIXTURES, 'conformance-client.mjs')

/** Runs one scenario of the suite against a host that wraps the suite's own server. */
async function runScenario(release: string, scenario: string): Promise<string> {
  const program = interopProgram(`@modelcontextprotocol/${release}/dist/index.js`)
  const client = `${process.execPath} --conditions caisson-source ${CLIENT}`
  const given = ['--scenario', scenario, '--output-dir', makeFolder('caisson-conformance-')]
  const command = [program, 'client', '--command', client, ...given]
  return await new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: INTEROP }, (_error, stdout, stderr) => {
      resolve(stdout + stderr)
    })
  })
}

describeInterop('the conformance suite against a host that wraps its server', () => {
  test.each([
    ['conformance', 'tools_call'],
    ['conformance-next', 'tools_call'],
    ['conformance-next', 'request-metadata'],
    ['conformance-next', 'http-standard-headers'],
    ['conformance-next', 'http-custom-headers'],
    ['conformance-next', 'http-invalid-tool-headers'],
    ['conformance-next', 'json-schema-ref-no-deref'],
    ['conformance-next', 'json-schema-2020-12-preservation'],
  ])('%s: %s passes', { timeout: 120_000 }, async (release, scenario) => {
    expect(await runScenario(release, scenario)).toContain('OVERALL: PASSED')
  })
})
