import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A loopback proxy that adds a bearer token and changes nothing else, for clients that cannot send
 * one. Resolves with the URL to use instead; closed when the running test ends.
 */
export async function startTokenProxy(url: string, token: string): Promise<string> {
  const { hostname, port, pathname } = new URL(url)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const { method = 'GET', url: path = '/' } = incoming
    const onward = request({ host: hostname, port, method, path, headers, setHost: false })
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
}
