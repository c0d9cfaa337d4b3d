import type { OperatorConfig } from '../config/operator-schema.ts'
import { isCaissonError } from '../errors/caisson-error.ts'
import type { ReloadableHost } from '../host/reloadable-host.ts'
import type { Log } from '../observe/log.ts'

/** Wishes to reload, which may come before there is anything to reload. */
export interface Reloads {
  request(): void
  attach(host: ReloadableHost): void
}

/** What a running server cannot change. */
const LATER = 'what `serve` says of the address and its limits counts from the next start'

/** Creates them; what comes of each is one line of the log. */
export function createReloads(log: Log): Reloads {
  let host: ReloadableHost | undefined
  let isWanted = false
  let isWaiting = false
  const reload = async (target: ReloadableHost): Promise<void> => {
    const { serve } = target.operator
    try {
      await target.reload()
      const tools = target.current.tools.schemas().length
      log.write('info', 'the configuration was loaded again', {
        tools,
        note: isSame(serve, target.operator.serve) ? undefined : LATER,
      })
    } catch (error) {
      const why = isCaissonError(error)
        ? { code: error.code, error: error.message }
        : { error: String(error) }
      log.write('error', 'the configuration before stays in force', why)
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
