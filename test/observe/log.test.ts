import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog, type Log } from '../../src/observe/log.ts'
import type { LogLevel } from '../../src/observe/log-level.ts'

function makeLog(
  level: LogLevel = 'info',
  secrets: ReadonlyMap<string, string> = new Map(),
): { readonly log: Log; lines(): Record<string, unknown>[] } {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString('utf8')
      done()
    },
  })
  const log = createLog({ level, stream })
  log.hide(secrets)
  return {
    log,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

test('what stands under the name of a credential is masked, whatever it is', () => {
  const { log, lines } = makeLog()
  const names = ['authorization', 'token', 'cookie', 'apiKey', 'db_password', 'X-Auth-Token']
  log.write('info', 'm', Object.fromEntries(names.map((name) => [name, 'abc'])))
  for (const name of names) expect(lines()[0]?.[name]).toBe('[redacted]')
})

test('a secret at the place where a text is cut does not show in part', () => {
  const secret = 'hunter2-of-the-vault'
  const { log, lines } = makeLog('info', new Map([['VAULT', secret]]))
  for (let lead = 980; lead < 1_001; lead += 1)
    log.write('info', 'm', { text: 'x'.repeat(lead) + secret })
  expect(lines()).toHaveLength(21)
  expect(JSON.stringify(lines())).not.toContain('hun')
})

test('only what the level lets through is written; texts are cut', () => {
  const { log, lines } = makeLog('warn')
  log.write('info', 'not this')
  log.write('error', 'x'.repeat(1_000_000), { text: 'y'.repeat(1_000_000) })
  expect(log.isOn('debug')).toBe(false)
  expect(lines()).toHaveLength(1)
  expect(JSON.stringify(lines()[0]).length).toBeLessThan(3_000)
  const { log: silent, lines: none } = makeLog('silent')
  silent.write('error', 'not this either')
  expect(none()).toEqual([])
})

test('when nobody reads, lines are lost and memory is not', async () => {
  let held = 0
  const stream = new Writable({ write: () => void (held += 1) })
  const log = createLog({ level: 'info', stream })
  for (let index = 0; index < 10_000; index += 1) log.write('info', 'z'.repeat(1_000))
  expect(stream.writableLength).toBeLessThan(5 * 1024 * 1024)
  expect(held).toBe(1)
  expect(await log.flush()).toBe(false)
})
