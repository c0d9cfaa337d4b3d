import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { PrometheusMetrics } from '../observe/prometheus.ts'
import { checkRequest, listenAt, refuse, type Address, type GateOptions } from './gate.ts'

export const METRICS_PATH = '/metrics'

/** A listener for scrapes; disposed, it lets nobody wait. */
export interface MetricsServing extends AsyncDisposable {
  readonly url: string
}

/** Answers a scrape that has passed the gate. */
export async function answerScrape(
  { method }: IncomingMessage,
  response: ServerResponse,
  metrics: PrometheusMetrics,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, 'metrics are read')
  const text = await metrics.render()
  response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : text)
}

/** Serves metrics, and nothing else, on an address of their own. Throws `CONFIG_INVALID`. */
export async function serveMetrics(
  metrics: PrometheusMetrics,
  options: Address & GateOptions,
): Promise<MetricsServing> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = checkRequest(request, options)
    if (refusal !== undefined) return refuse(response, ...refusal)
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname !== METRICS_PATH) return refuse(response, 404, `metrics are at ${METRICS_PATH}`)
    await answerScrape(request, response, metrics)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => refuse(response, 500, 'the metrics cannot be read'))
  })
  const url = await listenAt(server, options, { option: '--metrics-http', path: METRICS_PATH })
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
