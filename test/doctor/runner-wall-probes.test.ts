import { expect, test, vi } from 'vitest'
import { judgeWalls, runnerWallProbes } from '../../src/doctor/runner-wall-probes.ts'
import { judgeProfile } from '../../src/doctor/report.ts'
import { runProbes } from '../../src/doctor/run-probes.ts'
import { parseProfile } from '../../src/sandbox/load-profiles.ts'
import { describeConfined } from '../helpers/confined.ts'
import { fire } from './find-probe.ts'

vi.setConfig({ testTimeout: 60_000 })

describeConfined('the walls around runners', () => {
  const probes = runnerWallProbes()

  test.each(['runner-walls', 'runner-network', 'runner-files', 'runner-processes', 'runner-end'])(
    '%s hold for a real runner',
    async (id) => {
      expect(await fire(probes, `isolate/${id}`)).toMatchObject({ status: 'holds' })
    },
  )
})

test.skipIf(process.platform !== 'linux')('jitless is seen to compile nothing', async () => {
  const finding = await fire(runnerWallProbes(), 'isolate/jitless')
  expect(finding).toMatchObject({ status: 'holds' })
})

test('BUG-14 without bubblewrap the promise is off, and a profile that requires it is not kept', async () => {
  const [walls, ...rest] = runnerWallProbes('/nowhere')
  if (walls === undefined) throw new Error('there is no such probe')
  expect(rest.length).toBeGreaterThan(0)
  const reports = await runProbes([[walls]])
  expect(reports).toMatchObject([
    { status: 'unavailable', detail: expect.stringContaining('not confined') as string },
  ])
  const profile = (confinement: string): ReturnType<typeof parseProfile> =>
    parseProfile({ name: 'p', engine: 'isolate', confinement }, 'p')
  expect(judgeProfile(profile('required'), reports).reasons.join()).toContain(
    'confinement: required',
  )
  expect(judgeProfile(profile('preferred'), reports).reasons.join()).not.toContain('confinement')
})

test('a runner that sees more of the disk, or lacks a wall, is a hole', () => {
  const fine = { top: ['caisson', 'lib'], got: [], connections: 0, fault: undefined }
  expect(judgeWalls(fine)).toMatchObject({ status: 'holds' })
  expect(judgeWalls({ ...fine, top: ['caisson', 'etc'] })).toMatchObject({
    status: 'hole',
    detail: expect.stringContaining('etc') as string,
  })
  expect(judgeWalls({ ...fine, fault: 'it has capabilities' })).toMatchObject({ status: 'hole' })
})
