import { isatty } from 'node:tty'

const STREAMS = [0, 1, 2]

/**
 * Listens for SIGHUP until disposed: `reload` hears what an operator sends, `end` that the terminal of
 * the command has gone away, which comes as the same signal.
 */
export function listenForHangup({
  reload,
  end,
}: {
  /** Absent where nothing can be reloaded. */
  readonly reload: (() => void) | undefined
  end(): void
}): Disposable {
  const terminals = STREAMS.filter((stream) => isatty(stream))
  const isGone = (): boolean =>
    process.platform === 'win32' ||
    (terminals.length > 0 && !terminals.some((stream) => isatty(stream)))
  const hear = (): void => {
    if (reload === undefined || isGone()) end()
    else reload()
  }
  process.on('SIGHUP', hear)
  return {
    [Symbol.dispose]() {
      process.off('SIGHUP', hear)
    },
  }
}
