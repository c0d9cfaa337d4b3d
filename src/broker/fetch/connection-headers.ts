/** Lower-case names of headers that describe one connection. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Whether a header of a request, by its lower-case name, is set by the host alone. */
export function isOfConnection(name: string): boolean {
  return CONNECTION_HEADERS.has(name) || name.startsWith('proxy-')
}
