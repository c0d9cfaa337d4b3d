import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe } from 'vitest'
import { createConfiner } from '../../src/sandbox/confiner.ts'

const said: string[] = []
const failure = await createConfiner({
  path: process.env['PATH'] ?? '',
  diagnose: (text) => void said.push(text),
}).check()

/** Why nothing can be confined on this machine; undefined where it can. */
export const unconfinable: string | undefined =
  failure === undefined ? undefined : [failure.reason, ...said].join(': ')

/** Whether Node lies in a folder that root alone can enter: runners then have no user namespace. */
export const isForRootAlone: boolean =
  process.getuid?.() === 0 && !isOpenToAll(dirname(realpathSync(process.execPath)))

function isOpenToAll(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false
  return dirname(folder) === folder || isOpenToAll(dirname(folder))
}

/** A suite that needs sandboxes; where there are none it is skipped, and its title says why. */
export function describeConfined(title: string, suite: () => void): void {
  if (unconfinable === undefined) describe(title, suite)
  else describe.skip(`${title} (no sandbox here: ${unconfinable})`, suite)
}
