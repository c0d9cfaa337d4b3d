import type { ReloadableHost } from '../host/reloadable-host.ts'
import { version } from '../host/version.ts'
import type { Log } from '../observe/log.ts'
import { createPrometheusMetrics, type PrometheusMetrics } from '../observe/prometheus.ts'
import type { Address } from '../serve/gate.ts'
import { serveOverHttp } from '../serve/http.ts'
import { serveMetrics, type MetricsServing } from '../serve/metrics.ts'
import { serveOverStdio } from '../serve/stdio.ts'
import type { ToolServers } from '../serve/tool-server.ts'
import { drain } from './drain.ts'
import type { Output } from './output.ts'
import type { ServePlaces, ServeToken } from './serve-places.ts'
import { untilAborted } from '../signals/until-aborted.ts'

/** Creates the metrics where there is a place for them. */
export function createMetrics(
  { metrics: place }: ServePlaces,
  inFlight: () => number,
): PrometheusMetrics | undefined {
  return place === undefined ? undefined : createPrometheusMetrics({ version: version(), inFlight })
}

/** What is served, where, and until when. */
export interface Serving {
  readonly output: Output
  readonly servers: ToolServers
  readonly reloadable: ReloadableHost
  readonly metrics: PrometheusMetrics | undefined
  readonly places: ServePlaces
  readonly token: ServeToken
  readonly log: Log
  readonly stop: AbortSignal
}

/** Serves over HTTP or stdio, with metrics if there are any, until `stop` or the end of the input. */
export async function serveUntilStopped(scene: Serving): Promise<void> {
  const { servers, stop, places, log } = scene
  await using own = await openMetricsListener(scene)
  if (own !== undefined) announce(scene, 'metrics', own.url)
  if (places.http !== undefined) return await serveHttp(scene, places.http)
  if (own !== undefined) tellToken(scene)
  log.write('info', 'serving MCP over standard input and output')
  await serveOverStdio(servers, { stop, diagnose: (text) => log.write('warn', text) })
}

async function openMetricsListener({
  places,
  metrics,
  reloadable,
  token,
}: Serving): Promise<MetricsServing | undefined> {
  if (metrics === undefined || places.metrics === undefined || places.metrics === 'http')
    return undefined
  const { serve } = reloadable.operator
  return await serveMetrics(metrics, { ...serve, ...places.metrics, token: token.value })
}

async function serveHttp(scene: Serving, address: Address): Promise<void> {
  const { servers, stop, reloadable, metrics, places, token, log } = scene
  const http = await serveOverHttp(servers, {
    ...reloadable.operator.serve,
    ...address,
    token: token.value,
    metrics: places.metrics === 'http' ? metrics : undefined,
    diagnose: (text) => log.write('warn', text),
  })
  announce(scene, 'MCP', http.url)
  tellToken(scene)
  await untilAborted(stop)
  http.stopAccepting()
  await drain(servers, reloadable.operator.serve.drainMs)
  await http.close()
}

// Where only programs read, every line is a log line.
function isForPeople({ token }: Serving): boolean {
  return process.stderr.isTTY || !token.isGiven
}

function announce(scene: Serving, what: string, url: string): void {
  if (isForPeople(scene)) scene.output.note(`caisson: serving ${what} at ${url}`)
  scene.log.write('info', `serving ${what}`, { url })
}

// The one line that holds it; the log never does.
function tellToken({ output, token }: Serving): void {
  if (!token.isGiven) output.note(`caisson: bearer token ${token.value}`)
}
