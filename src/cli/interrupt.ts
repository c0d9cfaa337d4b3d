/** Exit code of a command that SIGINT or SIGTERM ended. */
export const INTERRUPTED = 130

/** SIGINT and SIGTERM as a signal, until disposed. */
export interface Interruption extends Disposable {
  readonly signal: AbortSignal
  /** Interrupts as a signal would. */
  stop(): void
  /**
   * The work's value; undefined when it was interrupted: `end` is then called once, and whatever the
   * work does afterwards is ignored.
   */
  during<T>(work: Promise<T>, end: () => Promise<void>): Promise<T | undefined>
}

/** Listens for SIGINT and SIGTERM. */
export function listenForInterrupt(): Interruption {
  const controller = new AbortController()
  const { signal } = controller
  const stop = (): void => controller.abort(new Error('interrupted'))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return {
    signal,
    stop,
    async during(work, end) {
      const interrupted = Promise.withResolvers<undefined>()
      const listener = (): void => interrupted.resolve(undefined)
      if (signal.aborted) listener()
      else signal.addEventListener('abort', listener, { once: true })
      try {
        const value = await Promise.race([work, interrupted.promise])
        if (!signal.aborted) return value
        work.catch(() => undefined)
        await end()
        return undefined
      } catch (error) {
        if (signal.aborted) return undefined
        throw error
      } finally {
        signal.removeEventListener('abort', listener)
      }
    },
    [Symbol.dispose]() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}
