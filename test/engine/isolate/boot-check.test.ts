import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkBoot } from '../../../src/engine/isolate/boot-check.ts'
import { createCgroupSource } from '../../../src/sandbox/cgroup-source.ts'
import { makeFolder } from '../../helpers/folders.ts'

const linux = process.platform === 'linux'
const source = createCgroupSource()
const place = source.get()
const { signal } = new AbortController()
const cgroups = typeof place === 'string' ? undefined : place

test.skipIf(!linux)('BUG-14 limits that are promised are passed, and seen to fire', async () => {
  onTestFinished(() => source.close())
  const folder = join(makeFolder('caisson-escape-'), 'kept')
  const found = await checkBoot({ cgroups, signal, folder })
  expect(found).toEqual({ data: true, group: cgroups !== undefined })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const [file = ''] = readdirSync(folder)
  expect(JSON.parse(readFileSync(join(folder, file), 'utf8'))).toEqual(found)
})

test.skipIf(!linux)('what was seen on this boot is not tried again', async () => {
  const folder = join(makeFolder('caisson-escape-'), 'kept')
  await checkBoot({ cgroups: undefined, signal, folder })
  const [file = ''] = readdirSync(folder)
  writeFileSync(join(folder, file), JSON.stringify({ data: false, group: false }))
  // Another look would have found that they fire.
  expect(await checkBoot({ cgroups: undefined, signal, folder })).toEqual({
    data: false,
    group: false,
  })
})

test.skipIf(!linux)('a result in a folder that others can write is not believed', async () => {
  const folder = join(makeFolder('caisson-escape-'), 'kept')
  await checkBoot({ cgroups: undefined, signal, folder })
  const [file = ''] = readdirSync(folder)
  writeFileSync(join(folder, file), JSON.stringify({ data: false, group: false }))
  chmodSync(folder, 0o777)
  expect(await checkBoot({ cgroups: undefined, signal, folder })).toEqual({
    data: true,
    group: false,
  })
})

test.skipIf(!linux)('a check that is ended early says nothing and keeps nothing', async () => {
  const folder = join(makeFolder('caisson-escape-'), 'kept')
  const stop = new AbortController()
  const checked = checkBoot({ cgroups: undefined, signal: stop.signal, folder })
  stop.abort()
  await expect(checked).rejects.toThrow()
  expect(existsSync(folder)).toBe(false)
})
