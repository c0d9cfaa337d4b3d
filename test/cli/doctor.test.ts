import { spawn } from 'node:child_process'
import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { DoctorReport } from '../../src/doctor/types.ts'
import { caisson, onlyObject, ROOT } from './caisson.ts'
import { removeFolder } from '../helpers/folders.ts'

vi.setConfig({ testTimeout: 180_000 })

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'caisson-doctor-test-'))
})
afterAll(() => removeFolder(folder))

const writeProfile = async (profile: object): Promise<string> => {
  const file = join(folder, `${Math.random()}.json`)
  await writeFile(file, JSON.stringify(profile))
  return file
}

describe('caisson doctor', () => {
  test('fires every limit, prints one object, and exits 1 for a profile nobody can keep', async () => {
    const open = await writeProfile({ name: 'open', engine: 'process', confinement: 'none' })
    const run = await caisson(['doctor', open, '--quick', '--json'])
    const report = onlyObject(run) as unknown as DoctorReport
    const holes = report.probes.filter(({ status }) => status === 'hole')
    expect(holes).toEqual([])
    expect(report).toMatchObject({
      node: process.versions.node,
      engines: { isolate: { ok: true, holes: [] }, thread: { ok: true }, queue: { ok: true } },
      profile: { name: 'open', ok: false, reasons: [expect.stringContaining('user of the host')] },
      ok: false,
    })
    const found = new Map(report.probes.map((probe) => [probe.id, probe]))
    for (const id of ['isolate/sync-loop', 'isolate/array-fill', 'host/parent-death']) {
      expect(found.get(id)).toMatchObject({ status: 'holds', firedMs: expect.any(Number) })
    }
    expect(report.leftOut).toBeGreaterThan(0)
    expect(run.code).toBe(1)
  })

  test.each([
    ['an unknown profile', ['nope'], 'there is no profile'],
    ['a file that is not there', ['nowhere.json'], 'nowhere.json'],
    ['an option that does not exist', ['--fast'], '--fast'],
    ['two profiles', ['pure', 'trusted'], 'argument'],
  ])('exits 2 at once and says one line about %s', async (_what, args, text) => {
    const run = await caisson(['doctor', ...args, '--json'])
    expect(run.code).toBe(2)
    expect(onlyObject(run)).toMatchObject({ isError: true, error: { code: 'CONFIG_INVALID' } })
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run.stderr).toContain(text)
  })

  test('exits 130 soon after it is interrupted, and leaves nothing behind', async () => {
    const own = await mkdtemp(join(folder, 'tmp-'))
    const child = spawn(process.execPath, ['bin/caisson.mjs', 'doctor'], {
      cwd: ROOT,
      stdio: 'ignore',
      env: { ...process.env, TMPDIR: own },
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const listOwn = async (): Promise<string[]> =>
      // What was found out about this boot stays, for the next host.
      (await readdir(own)).filter((name) => /^caisson-(?!\d+$)/.test(name))
    await expect.poll(listOwn, { timeout: 30_000 }).not.toEqual([])
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(await listOwn()).toEqual([])
  }, 60_000)

  test('exits 2 for a profile that contradicts itself', async () => {
    const file = await writeProfile({ name: 'x', engine: 'thread', kernelLimits: 'required' })
    const run = await caisson(['doctor', file])
    expect(run.code).toBe(2)
    expect(run.stderr).toContain('kernelLimits')
  })
})
