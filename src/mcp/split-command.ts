const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g

/** The words of a command; quotes hold a word together, and nothing else means anything. */
export function splitCommand(text: string): string[] {
  return [...text.matchAll(WORD)].map(([, double, single, plain]) =>
    double === undefined ? (single ?? plain ?? '') : double.replaceAll(/\\(.)/g, '$1'),
  )
}

/** How a server is called that nobody has named: after its package, its program or its host. */
export function toServerName(command: string, args: readonly string[]): string {
  if (/^https?:/.test(command)) return URL.parse(command)?.hostname ?? 'server'
  const named = args.find((arg) => !arg.startsWith('-')) ?? command
  const last = named.split(/[\\/]/).at(-1) ?? named
  return last.replace(/@[^@]*$/, '').replace(/\.[cm]?[jt]s$/, '') || 'server'
}
