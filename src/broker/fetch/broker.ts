import type { CapabilityContext } from '../../types/capability.ts'
import type { JsonValue } from '../../types/json.ts'
import type { FetchGrant } from '../../types/profile.ts'
import { toFailedAnswer, type Capability, type RequestNote } from '../capability.ts'
import { notGranted, tooLarge } from '../refusals.ts'
import type { SecretVault } from '../secrets/vault.ts'
import { createConnections, type Connections } from './connections.ts'
import { exchange, type AnswerHead, type ExchangeAnswer } from './exchange.ts'
import { compileFetchPolicy, type FetchPolicy } from './fetch-policy.ts'
import { parseFetchRequest, type FetchRequest } from './parse-request.ts'
import { locationOf, toNextHop, type Hop } from './redirect.ts'
import { failing } from './failing.ts'
import { createLimit } from './limit.ts'
import type { Resolve } from './resolver.ts'
import { createTunnelBroker, type OpenTunnel } from './tunnel.ts'
import { vet } from './vet.ts'

export interface FetchBrokerSpec {
  readonly resolve: Resolve
  readonly vault: SecretVault
  /** The addresses of this machine. */
  ownAddresses(): ReadonlySet<string>
}

const MAX_REDIRECTS = 5
const MAX_NOTED = 2_048

/** The broker of requests, and of connections that the host cannot look into. */
export interface FetchBroker extends Capability {
  readonly tunnel: OpenTunnel
}

/**
 * Creates the broker behind `fetch`. Refusals carry `CAPABILITY_DENIED`, `INVALID_ARGS`,
 * `OUTPUT_LIMIT` or `OVERLOADED`; a request that fails on its way is answered with `failed`.
 */
export function createFetchBroker(spec: FetchBrokerSpec): FetchBroker {
  const policies = new WeakMap<FetchGrant, FetchPolicy>()
  const attempts = new WeakMap<CapabilityContext, Connections>()
  const policyOf = (grant: FetchGrant): FetchPolicy => {
    const known = policies.get(grant)
    if (known !== undefined) return known
    const made = compileFetchPolicy(grant, spec.ownAddresses)
    policies.set(grant, made)
    return made
  }
  const connectionsOf = (context: CapabilityContext): Connections => {
    const known = attempts.get(context)
    if (known !== undefined) return known
    const made = createConnections()
    attempts.set(context, made)
    context.signal.addEventListener('abort', () => made.close(), { once: true })
    return made
  }
  return {
    tunnel: createTunnelBroker({ policyOf, connectionsOf, resolve: spec.resolve }),
    describe: noteTarget,
    async request(context, payload, note) {
      const { fetch } = context.grants
      if (fetch === undefined)
        throw notGranted('fetch', "fetch is not granted by the tool's profile")
      const request = parseFetchRequest(payload)
      const policy = policyOf(fetch)
      policy.checkMethod(request.method)
      if ((request.body?.length ?? 0) > policy.maxBytes)
        throw tooLarge('fetch', `a body may have ${policy.maxBytes} bytes`, policy.maxBytes)
      const url = policy.parseTarget(request.url)
      checkNoSecrets(spec.vault, request, context)
      note.bytesSent = request.body?.length ?? 0
      using limit = createLimit(context.signal)
      const connections = connectionsOf(context)
      const trip = { spec, policy, connections, context, note, signal: limit.signal }
      return await failing(() => travel(trip, request, url), context.signal)
    },
  }
}

interface Trip {
  readonly spec: FetchBrokerSpec
  readonly policy: FetchPolicy
  readonly connections: Connections
  readonly context: CapabilityContext
  readonly note: RequestNote
  readonly signal: AbortSignal
}

async function travel(trip: Trip, request: FetchRequest, url: URL): Promise<JsonValue> {
  const { vault } = trip.spec
  const { placeholders } = trip.context
  const follows = request.redirect !== 'manual'
  let hop: Hop = { ...request, url }
  for (let hops = 0; ; hops += 1) {
    const answer = await send(trip, hop, (head) => !follows || locationOf(head) === undefined)
    const location = follows ? locationOf(answer) : undefined
    if (location === undefined) return toAnswer(trip, answer, hop.url, hops > 0)
    if (request.redirect === 'error')
      return toFailedAnswer('UND_ERR_REDIRECT', 'a redirect was not wanted')
    if (hops === MAX_REDIRECTS)
      throw notGranted('fetch', `more than ${MAX_REDIRECTS} redirects are not followed`)
    const next = trip.policy.parseTarget(location, hop.url)
    hop = toNextHop(hop, answer.status, next, (header) =>
      vault.isSecretHeader(header, placeholders),
    )
    vault.checkAbsent('a URL', Buffer.from(next.href), placeholders)
  }
}

async function send(
  { spec, policy, connections, context, signal }: Trip,
  hop: Hop,
  wantsBody: (head: AnswerHead) => boolean,
): Promise<ExchangeAnswer> {
  const headers = spec.vault.fill(hop.headers, hop.url, context.placeholders)
  const addresses = await vet(hop.url, policy, spec.resolve, signal)
  const lease = await connections.lease({ origin: hop.url.origin, addresses }, signal)
  const { maxBytes } = policy
  return await exchange({ ...hop, headers, maxBytes, signal, wantsBody }, lease)
}

function toAnswer(
  { spec, note }: Trip,
  answer: ExchangeAnswer,
  url: URL,
  redirected: boolean,
): JsonValue {
  const { scrub } = spec.vault
  note.bytesReceived = answer.body.length
  return {
    status: answer.status,
    statusText: scrub.text(answer.statusText),
    url: scrub.text(url.href),
    redirected,
    headers: answer.headers.map(([name, value]) => [scrub.text(name), scrub.text(value)]),
    ...(answer.body.length === 0 ? {} : { body: scrub.bytes(answer.body).toString('base64') }),
  }
}

function checkNoSecrets(
  vault: SecretVault,
  { url, body }: FetchRequest,
  { placeholders }: CapabilityContext,
): void {
  vault.checkAbsent('a URL', Buffer.from(url), placeholders)
  if (body !== undefined) vault.checkAbsent('a body', body, placeholders)
}

function noteTarget(payload: JsonValue, note: RequestNote): void {
  const { url, method } = Object(payload) as { url?: unknown; method?: unknown }
  if (typeof url === 'string') note.target = url.slice(0, MAX_NOTED)
  if (typeof method === 'string') note.operation = method.slice(0, 32)
}
