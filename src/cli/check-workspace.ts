import { statSync } from 'node:fs'
import { CaissonError } from '../errors/caisson-error.ts'

/** Throws `CONFIG_INVALID` when `--workspace` names no folder. */
export function checkWorkspace(workspace: string | undefined): void {
  if (workspace === undefined || statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
    return
  throw new CaissonError('CONFIG_INVALID', `--workspace ${workspace}: there is no such folder`)
}
