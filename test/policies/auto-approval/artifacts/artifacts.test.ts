import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createArtifacts } from '../../../../src/policies/auto-approval/artifacts/artifacts.ts'
import type { FileIdentity } from '../../../../src/policies/auto-approval/types.ts'
import { REAL_FILES } from '../../../../src/policies/auto-approval/paths/file-view.ts'
import { makeFakeClock } from '../../../helpers/fake-clock.ts'
import { makeFolder } from '../../../helpers/folders.ts'

function identityOf(path: string): FileIdentity {
  const facts = REAL_FILES.lstat(path)
  if (facts === undefined) throw new Error(`nothing at ${path}`)
  return facts.identity
}

test('ART-01 what a call that went well made belongs to its root session; after a failure nothing does', () => {
  const folder = makeFolder('caisson-artifacts-')
  const artifacts = createArtifacts(REAL_FILES, makeFakeClock())
  const [good, bad] = [Symbol('good'), Symbol('bad')]
  artifacts.plan(good, [{ path: join(folder, 'd') }])
  artifacts.plan(bad, [{ path: join(folder, 'e') }])
  mkdirSync(join(folder, 'd'))
  mkdirSync(join(folder, 'e'))
  expect(artifacts.settle(good, 'root', true)).toBe(1)
  expect(artifacts.settle(bad, 'root', false)).toBe(0)
  expect(artifacts.isOwn('root', identityOf(join(folder, 'd')))).toBe(true)
  expect(artifacts.isOwn('root', identityOf(join(folder, 'e')))).toBe(false)
})

test('ART-03 another session owns nothing of it, and a session that is over nothing at all', () => {
  const folder = makeFolder('caisson-artifacts-')
  const artifacts = createArtifacts(REAL_FILES, makeFakeClock())
  const token = Symbol('call')
  const path = join(folder, 'x')
  artifacts.plan(token, [{ path }])
  writeFileSync(path, '')
  artifacts.settle(token, 'A', true)
  expect(artifacts.isOwn('B', identityOf(path))).toBe(false)
  expect(artifacts.isOwn('A', identityOf(path))).toBe(true)
  artifacts.drop('A')
  expect(artifacts.isOwn('A', identityOf(path))).toBe(false)
})

test('ART-06 a file is known by what it is, not by its name', () => {
  const folder = makeFolder('caisson-artifacts-')
  const artifacts = createArtifacts(REAL_FILES, makeFakeClock())
  const token = Symbol('call')
  const path = join(folder, 'x')
  artifacts.plan(token, [{ path }])
  writeFileSync(path, '')
  artifacts.settle(token, 'root', true)
  renameSync(path, join(folder, 'y'))
  writeFileSync(path, 'other')
  expect(artifacts.isOwn('root', identityOf(join(folder, 'y')))).toBe(true)
  expect(artifacts.isOwn('root', identityOf(path))).toBe(false)
})

test('ART-07 a link is never registered, nor what is not there', () => {
  const folder = makeFolder('caisson-artifacts-')
  const artifacts = createArtifacts(REAL_FILES, makeFakeClock())
  const token = Symbol('call')
  writeFileSync(join(folder, 'real'), '')
  linkSync(join(folder, 'real'), join(folder, 'hard'))
  artifacts.plan(token, [{ path: join(folder, 'link') }, { path: join(folder, 'gone') }])
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  expect(artifacts.settle(token, 'root', true)).toBe(0)
  expect(artifacts.settle(token, undefined, true)).toBe(0)
})

test('ART-09 of plans that never settle the oldest go', async () => {
  const clock = makeFakeClock()
  const artifacts = createArtifacts(REAL_FILES, clock)
  for (let plan = 0; plan < 600; plan++) artifacts.plan(Symbol(plan), [{ path: '/nowhere' }])
  expect(artifacts.pending).toBe(512)
  await clock.advance(10 * 60_000 + 1)
  artifacts.settle(Symbol('late'), 'root', true)
  expect(artifacts.pending).toBe(0)
})
