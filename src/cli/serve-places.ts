import { randomBytes } from 'node:crypto'
import type { OperatorConfig } from '../config/operator-schema.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { Address } from '../serve/gate.ts'

/** Where a server listens; without `http` it talks over standard input and output. */
export interface ServePlaces {
  readonly http: Address | undefined
  /** `http`: at /metrics of that listener. Undefined: nobody counts. */
  readonly metrics: Address | 'http' | undefined
}

/** Who may ask: whoever has the token; `isGiven` when the operator chose it. */
export interface ServeToken {
  readonly value: string
  readonly isGiven: boolean
}

export interface PlaceOptions {
  readonly http?: string
  readonly metrics?: boolean
  readonly metricsHttp?: string
}

const DEFAULT_HOST = '127.0.0.1'

/** What options and configuration say, options first. Throws `CONFIG_INVALID`. */
export function resolvePlaces(
  options: PlaceOptions,
  { http: configured, metrics }: OperatorConfig['serve'],
): ServePlaces {
  const given = options.http ?? configured
  const http = given === undefined ? undefined : parseAddress('--http', given)
  const own = options.metricsHttp ?? (typeof metrics === 'string' ? metrics : undefined)
  if (own !== undefined) return { http, metrics: parseAddress('--metrics-http', own) }
  if (options.metrics !== true && metrics !== true) return { http, metrics: undefined }
  if (http !== undefined) return { http, metrics: 'http' }
  const text = 'a server without --http has no place for metrics; give one: --metrics-http 9464'
  throw new CaissonError('CONFIG_INVALID', `--metrics: ${text}`)
}

/** The token in the variable that `serve.tokenEnv` names, or a new one. Throws `CONFIG_INVALID`. */
export function resolveToken(
  { tokenEnv }: OperatorConfig['serve'],
  env: Readonly<Record<string, string | undefined>>,
): ServeToken {
  if (tokenEnv === undefined)
    return { value: randomBytes(24).toString('base64url'), isGiven: false }
  const value = env[tokenEnv]
  if (value !== undefined && value !== '') return { value, isGiven: true }
  throw new CaissonError('CONFIG_INVALID', `serve.tokenEnv: ${tokenEnv} is not set`)
}

/** `7331`, `127.0.0.1:7331` or `[::1]:7331`. Throws `CONFIG_INVALID` for anything else. */
function parseAddress(option: string, text: string): Address {
  const [, bracketed, plain, digits = ''] =
    /^(?:(?:\[([0-9a-f:]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? []
  const port = Number(digits)
  if (digits !== '' && port <= 65_535) return { host: bracketed ?? plain ?? DEFAULT_HOST, port }
  throw new CaissonError('CONFIG_INVALID', `${option} ${text}: give a port, or host:port`)
}
