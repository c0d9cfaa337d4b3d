const TOTAL_MS = 60_000

/** A signal that aborts with the attempt, and after a minute. */
export function createLimit(outer: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const stop = (): void => controller.abort(outer.reason)
  outer.addEventListener('abort', stop, { once: true })
  if (outer.aborted) stop()
  const timer = setTimeout(() => {
    controller.abort(Object.assign(new Error('it takes too long'), { code: 'ETIMEDOUT' }))
  }, TOTAL_MS)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      outer.removeEventListener('abort', stop)
    },
  }
}
