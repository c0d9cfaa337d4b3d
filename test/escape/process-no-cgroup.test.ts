import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openCgroups } from '../../src/sandbox/cgroup-open.ts'
import { describeConfined } from '../helpers/confined.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FIXTURE = fileURLToPath(new URL('../fixtures/program-limits.ts', import.meta.url))
const trial = openCgroups()
const hasCgroups = 'create' in trial
if ('create' in trial) trial.close()

const MOUNTS = ['--dev-bind', '/', '/', '--tmpfs', '/sys/fs/cgroup']
const WITHOUT = ['bwrap', '--unshare-user', ...MOUNTS]
const isRoot = process.getuid?.() === 0
/** Where nobody may read the checkout, whoever may enter the folder that it lies in. */
const OPEN = '/mnt/checkout'
const AS_NOBODY = [
  ...['bwrap', ...MOUNTS, '--tmpfs', '/mnt', '--ro-bind', ROOT, OPEN],
  ...['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
]

async function hostIn(
  wrapper: readonly string[],
  kernelLimits: string,
  toPath = (path: string) => path,
): Promise<unknown> {
  const files = [process.execPath, '--conditions=caisson-source', FIXTURE].map(toPath)
  const node = [...files, kernelLimits]
  const [file = '', ...args] = [...wrapper, ...node]
  const { stdout } = await run(file, args, { timeout: 60_000 })
  return JSON.parse(stdout)
}

describeConfined('limits without cgroups', () => {
  test('ATK-106 a profile that requires them makes no host', async () => {
    expect(await hostIn(WITHOUT, 'required')).toEqual({
      host: expect.stringMatching(
        /^CONFIG_INVALID: profile 'tight' requires limits kept by the kernel/,
      ),
    })
  })

  test.skipIf(!hasCgroups)(
    'ATK-106 where there are cgroups the same profile is kept by them',
    async () => {
      expect(await hostIn([], 'required')).toEqual({
        memory: expect.objectContaining({ code: 'TOOL_OUT_OF_MEMORY' }),
        cpu: expect.objectContaining({ code: 'TOOL_TIMEOUT', budget: 'cpu' }),
        pids: expect.objectContaining({ code: 'TOOL_TIMEOUT' }),
      })
    },
  )

  test('ATK-106 without the demand each limit fires by another way', async () => {
    expect(await hostIn(WITHOUT, 'preferred')).toEqual({
      memory: expect.objectContaining({ code: 'TOOL_OUT_OF_MEMORY' }),
      cpu: expect.objectContaining({ code: 'TOOL_TIMEOUT', budget: 'cpu' }),
      // What root starts nobody but the host counts; it ends a sandbox that has too much in it.
      pids: isRoot
        ? { code: 'TOOL_CRASHED', message: expect.stringContaining('more processes') }
        : expect.objectContaining({ code: 'TOOL_TIMEOUT' }),
    })
  })

  test.skipIf(!isRoot)(
    'ATK-106 a host that is not root has the kernel count its processes',
    async () => {
      expect(
        await hostIn(AS_NOBODY, 'preferred', (path) =>
          path.startsWith(ROOT) ? join(OPEN, path.slice(ROOT.length)) : path,
        ),
      ).toEqual({
        memory: expect.objectContaining({ code: 'TOOL_OUT_OF_MEMORY' }),
        cpu: expect.objectContaining({ code: 'TOOL_TIMEOUT', budget: 'cpu' }),
        pids: expect.objectContaining({ code: 'TOOL_TIMEOUT' }),
      })
    },
  )
})
