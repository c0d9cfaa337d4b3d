import { expect, test } from 'vitest'
import { isGone } from '../../src/sandbox/process-tree.ts'
import { describeConfined } from '../helpers/confined.ts'
import { nodeBind, SANDBOX_NODE } from '../../src/engine/process/program-env.ts'
import { runIn, shell, startIn } from '../helpers/run-confined.ts'

describeConfined('startConfined()', () => {
  test('a program ends with its own exit code, or with its signal', async () => {
    expect((await runIn(shell('exit 0'))).end).toEqual({ exitCode: 0 })
    expect((await runIn(shell('exit 7'))).end).toEqual({ exitCode: 7 })
    expect((await runIn(shell('kill -SEGV $$'))).end).toEqual({ signal: 'SIGSEGV' })
    expect((await runIn(shell('kill -KILL $$'))).end).toEqual({ signal: 'SIGKILL' })
  })

  test('a program that is not there is an exit code, and says what is missing', async () => {
    const { end, stderr } = await runIn(['/no/such/program'])
    expect(end).toEqual({ exitCode: 127 })
    expect(stderr).toMatch(/not found|No such file/)
  })

  test('the shell that watches over a program adds nothing to what it says', async () => {
    const { stdout, stderr } = await runIn(shell('echo out; echo err >&2; kill -SEGV $$'))
    expect(stdout).toBe('out\n')
    expect(stderr).toBe('err\n')
  })

  // Looking into the folder itself would open one more.
  const list = 'i=0; while [ $i -lt 300 ]; do [ -e /proc/$$/fd/$i ] && echo $i; i=$((i+1)); done'
  const listed = async (hasChannel: boolean): Promise<string[]> =>
    (await runIn(shell(list), { hasChannel })).stdout.trim().split('\n')

  test('ATK-095 a program has its three descriptors and no other', async () => {
    expect(await listed(false)).toEqual(['0', '1', '2'])
  })

  test('ATK-095 one with a channel has a fourth', async () => {
    expect(await listed(true)).toEqual(['0', '1', '2', '3'])
  })

  test('what comes in by a door is accepted by the host, and the program has nothing more for it', async () => {
    const visit = 'fetch("http://127.0.0.1:3128").then(async (r) => console.log(await r.text()))'
    const script = `${list}; env | cut -d= -f1; ${SANDBOX_NODE} -e '${visit}'`
    const started = await startIn(shell(script), {
      binds: [nodeBind(process.execPath)],
      door: { port: 3128, node: SANDBOX_NODE },
    })
    let said = ''
    started.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const door = await started.door
    door?.on('connection', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\ncame in'))
    await started.ended
    door?.close()
    const lines = said.split('\n')
    expect(lines.filter((line) => /^\d+$/.test(line))).toEqual(['0', '1', '2'])
    expect(lines.at(-2)).toBe('came in')
    expect(said).not.toContain('NODE_')
  })

  test('it is told of its user, its home and its host in names that say nothing', async () => {
    const { stdout } = await runIn(
      shell('id -un; id -u; hostname; echo ~tool; pwd; cat /etc/hosts'),
    )
    expect(stdout).toBe(
      'tool\n1000\ncaisson\n/home/tool\n/tmp\n127.0.0.1 localhost caisson\n::1 localhost\n',
    )
  })

  test('a limit that cannot be put on it keeps it from starting', async () => {
    const started = await startIn(shell('echo ran'), {
      hold: () => Promise.reject(new Error('no such group')),
    })
    let stdout = ''
    started.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    expect(await started.started).toBe(false)
    await started.ended
    expect(stdout).toBe('')
  })

  test('it does not start before the limit is there', async () => {
    const held = Promise.withResolvers<void>()
    const started = await startIn(shell('echo ran'), { hold: () => held.promise })
    let isStarted = false
    void started.started.then(() => (isStarted = true))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(isStarted).toBe(false)
    held.resolve()
    expect(await started.started).toBe(true)
    expect(await started.ended).toEqual({ exitCode: 0 })
  })

  test('kill() ends everything in it, and is over when nothing is left', async () => {
    const started = await startIn(shell('setsid sleep 900 & (setsid sleep 901 &) ; exec sleep 902'))
    await started.started
    const { root, pid } = started
    started.kill()
    expect(await started.ended).toEqual({ signal: 'SIGKILL' })
    expect([root, pid].map((id) => isGone(id ?? 0))).toEqual([true, true])
  })

  test('killing bwrap itself from outside ends the program too', async () => {
    const started = await startIn(['sleep', '903'])
    await started.started
    process.kill(started.pid ?? 0, 'SIGKILL')
    expect(await started.ended).toEqual({ signal: 'SIGKILL' })
    expect(isGone(started.root ?? 0)).toBe(true)
  })

  test('terminate() reaches the program, which may clean up', async () => {
    const started = await startIn(
      shell('trap "echo cleaned; exit 3" TERM; echo on; while :; do sleep 0.05; done'),
    )
    let stdout = ''
    await new Promise<void>((resolve) =>
      started.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString()
        resolve()
      }),
    )
    started.terminate()
    expect(await started.ended).toEqual({ exitCode: 3 })
    expect(stdout).toBe('on\ncleaned\n')
  })
})
