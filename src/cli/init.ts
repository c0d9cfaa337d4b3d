import { writeFileSync } from 'node:fs'
import { CONFIG_TEMPLATE } from '../config/template.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { Output } from './output.ts'

/** `caisson init`: writes a commented configuration. Never replaces a file that is there. */
export function runInit(output: Output, file: string): number {
  try {
    writeFileSync(file, CONFIG_TEMPLATE, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why =
      code === 'EEXIST'
        ? 'it exists; name another file, or remove it first'
        : `it cannot be written (${code})`
    throw new CaissonError('CONFIG_INVALID', `${file}: ${why}`, { config: file })
  }
  if (output.json) output.object({ config: file })
  else output.line(`wrote ${file}; use it with --config ${file}`)
  return 0
}
