import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { openProgramArena, programLimits } from './program-arena.ts'
import { removeFolder } from '../helpers/folders.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-race-')))
afterAll(() => removeFolder(base))
const [work, outside] = [join(base, 'work'), join(base, 'outside')]
for (const folder of [
  work,
  outside,
  join(work, 'out'),
  join(work, 'sub'),
  join(work, 'sub', '.git'),
])
  mkdirSync(folder)
writeFileSync(join(outside, 'secret'), 'canary')
writeFileSync(join(outside, '.env'), 'canary')
writeFileSync(join(work, 'sub', '.env'), 'canary')

/** Another program with the folder in its hands: a folder and a link change places all the time. */
function swap(name: string): void {
  const script = `chdir "${work}"; symlink "${outside}", "link"; while (1) { select(undef, undef, undef, rand(0.01)); rename "${name}", "kept"; select(undef, undef, undef, rand(0.003)); rename "link", "${name}"; rename "${name}", "link"; rename "kept", "${name}"; }`
  const swapper = spawn('perl', ['-e', script], { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = new Promise((resolve) => swapper.once('exit', resolve))
    swapper.kill('SIGKILL')
    await ended
    rmSync(join(work, 'link'), { force: true })
  })
}

const FOR_MS = 3_000

describeConfined('a folder that is swapped for a link while it is mounted', () => {
  const arena = openProgramArena({
    workspace: work,
    maxRunners: 4,
    profiles: [
      {
        name: 'part',
        engine: 'process',
        limits: programLimits,
        fs: { write: ['workspace:/out/**'] },
      },
      { name: 'whole', engine: 'process', limits: programLimits, fs: { write: ['workspace:/**'] } },
    ],
  })
  /** Calls as fast as it goes; what came of them, by text or code, with counts. */
  const storm = async (script: string, profile: string): Promise<Record<string, number>> => {
    const said: Record<string, number> = {}
    const until = performance.now() + FOR_MS
    for (let n = 0; performance.now() < until; n += 1) {
      const calls = [1, 2, 3].map((at) =>
        arena.runBeside(`racer${n}_${at}`, {
          command: ['sh', '-c', script],
          profile,
          timeoutMs: 10_000,
        }),
      )
      for (const result of await Promise.all(calls)) {
        const what = result.isError ? result.error.code : JSON.stringify(result.value)
        said[what] = (said[what] ?? 0) + 1
      }
    }
    return said
  }

  test('ATK-092 a granted folder is the one that was judged, or the program does not start', async () => {
    swap('out')
    const said = await storm(
      'cat /workspace/out/secret 2>/dev/null; touch /workspace/out/new && echo wrote; exit 0',
      'part',
    )
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(readdirSync(outside).toSorted()).toEqual(['.env', 'secret'])
    for (const what of Object.keys(said))
      expect(['"wrote\\n"', '""', 'FS_SANDBOX_DENIED', 'SANDBOX_UNAVAILABLE']).toContain(what)
    // It was a race: some of them have run.
    expect(said['"wrote\\n"']).toBeGreaterThan(0)
  }, 20_000)

  test('ATK-097 what is closed or kept read-only is so at the place that was judged', async () => {
    swap('sub')
    const script =
      'cat /workspace/sub/.env /workspace/kept/.env /workspace/sub/.git/secret 2>/dev/null; exit 0'
    const said = await storm(script, 'whole')
    for (const what of Object.keys(said))
      expect(['""', 'FS_SANDBOX_DENIED', 'SANDBOX_UNAVAILABLE', 'FS_NOT_FOUND']).toContain(what)
    expect(readdirSync(outside).toSorted()).toEqual(['.env', 'secret'])
  }, 20_000)
})
