import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { toFailed, toSuccess } from '../helpers/make-call.ts'
import { makePack } from './pack-rig.ts'

describeConfined('bash of the pack', () => {
  test('what a line ends with is a value, whatever its exit code', async () => {
    const { call, get, events } = await makePack()
    const line = 'echo out; echo err >&2; echo new > made.txt; exit 3'
    const result = toSuccess(await call('bash', { command: line }))
    expect(result.value).toMatchObject({
      exitCode: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    })
    expect(get('made.txt')).toBe('new\n')
    expect(events('tool/result')[0]?.data['card']).toMatchObject({ card: 'terminal', exitCode: 3 })
    const killed = toSuccess(await call('bash', { command: 'kill -9 $$' }))
    expect(killed.value).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  test('a line that does not end is ended with all it started', async () => {
    const { call } = await makePack()
    const nap = `${600 + Math.random()}`
    const line = `echo begun; setsid sleep ${nap} & trap "" TERM; sleep ${nap}`
    const result = toFailed(await call('bash', { command: line, timeout_ms: 300 }))
    expect(result.error).toMatchObject({ code: 'TOOL_TIMEOUT', timeoutMs: 300 })
    expect(result.error.message).toContain('begun')
    expect(runningWith(nap)).toEqual([])
  })

  test('a flood keeps its beginning and its end', async () => {
    const { call } = await makePack()
    const result = toSuccess(await call('bash', { command: 'echo first; seq 1 200000; echo last' }))
    const { stdout, truncated } = result.value as { stdout: string; truncated: boolean }
    expect(truncated).toBe(true)
    expect(stdout.length).toBeLessThan(80_000)
    expect(stdout.startsWith('first\n')).toBe(true)
    expect(stdout).toMatch(/bytes left out/)
    expect(stdout.trimEnd().endsWith('last')).toBe(true)
  })

  test('a line runs in a folder of the workspace and nowhere else', async () => {
    const { call, workspace } = await makePack()
    toSuccess(await call('bash', { command: 'mkdir -p sub' }))
    const inside = toSuccess(await call('bash', { command: 'pwd', cwd: 'sub' }))
    expect(inside.value).toMatchObject({ stdout: '/workspace/sub\n' })
    for (const cwd of ['..', '/etc', 'sub/../..'])
      expect(toFailed(await call('bash', { command: 'pwd', cwd })).error.code).toBe(
        'FS_SANDBOX_DENIED',
      )
    const named = toSuccess(await call('bash', { command: 'pwd', cwd: join(workspace, 'sub') }))
    expect(named.value).toMatchObject({ stdout: '/workspace/sub\n' })
  })

  test('a mode below the operators is kept, one above asks, one beyond the widest is refused', async () => {
    const { call, host, workspace } = await makePack({
      config: { bash: { mode: 'read-only', widest: 'workspace-write' } },
    })
    const touch = toSuccess(await call('bash', { command: 'touch x' }))
    expect(touch.value).toMatchObject({ sandbox: 'read-only' })
    expect(existsSync(join(workspace, 'x'))).toBe(false)
    const write = { command: 'touch x', sandbox: 'workspace-write' }
    expect(toFailed(await call('bash', write)).error.code).toBe('APPROVAL_UNAVAILABLE')
    const off = host.on('approval/request', () => 'allowed-once')
    expect(toSuccess(await call('bash', write)).value).toMatchObject({ exitCode: 0 })
    off()
    expect(existsSync(join(workspace, 'x'))).toBe(true)
    const full = { command: 'true', sandbox: 'full-access' }
    expect(toFailed(await call('bash', full)).error.code).toBe('DENIED')
  })

  test('full access is what the operator says, and shows in the value', async () => {
    const { call, workspace } = await makePack({ config: { bash: { mode: 'full-access' } } })
    const result = toSuccess(await call('bash', { command: 'pwd; cat /etc/hostname' }))
    const hostname = readFileSync('/etc/hostname', 'utf8')
    expect(result.value).toMatchObject({
      sandbox: 'full-access',
      stdout: `${workspace}\n${hostname}`,
    })
  })
})

/** Processes of this machine whose command line holds the text. */
function runningWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      return false // It has ended meanwhile.
    }
  })
}
