import type { OperatorConfig } from '../config/operator-schema.ts'
import { isCaissonError } from '../errors/caisson-error.ts'
import type { ReloadableHost } from '../host/reloadable-host.ts'
import { toLine, type Output } from './output.ts'

/** Wishes to reload, which may come before there is anything to reload. */
export interface Reloads {
  request(): void
  attach(host: ReloadableHost): void
}

/** Creates them; what comes of each is one line on standard error. */
export function createReloads(output: Output): Reloads {
  let host: ReloadableHost | undefined
  let isWanted = false
  let isWaiting = false
  const reload = async (target: ReloadableHost): Promise<void> => {
    const { serve } = target.operator
    try {
      await target.reload()
      const count = target.current.tools.schemas().length
      const kept = isSame(serve, target.operator.serve)
        ? ''
        : '; what `serve` says of the address and its limits counts from the next start'
      output.note(`caisson: the configuration was loaded again: ${count} tools${kept}`)
    } catch (error) {
      const text = isCaissonError(error) ? `${error.code}: ${error.message}` : String(error)
      output.note(`caisson: the configuration before stays in force: ${toLine(text)}`)
    }
  }
  const request = (): void => {
    isWanted = true
    if (host === undefined || isWaiting) return
    const target = host
    isWanted = false
    isWaiting = true
    void reload(target).finally(() => {
      isWaiting = false
      if (isWanted) request()
    })
  }
  return {
    request,
    attach(given) {
      host = given
      if (isWanted) request()
    },
  }
}

// These two are asked for anew each time.
function isSame(before: OperatorConfig['serve'], after: OperatorConfig['serve']): boolean {
  const { drainMs, progress } = after
  return JSON.stringify({ ...before, drainMs, progress }) === JSON.stringify(after)
}
