import { join, resolve } from 'node:path'
import { createBrokers } from '../broker/brokers.ts'
import type { Capability } from '../broker/capability.ts'
import { listOwnAddresses } from '../broker/fetch/addresses.ts'
import { createFetchBroker } from '../broker/fetch/broker.ts'
import { createSystemResolver } from '../broker/fetch/resolver.ts'
import { createFsBroker } from '../broker/fs/broker.ts'
import type { FileGates } from '../broker/fs/gates.ts'
import { createRootFinder } from '../broker/fs/roots.ts'
import { createFileScenes, type FileScenes } from '../broker/fs/scenes.ts'
import { createKvBroker } from '../broker/kv/broker.ts'
import { createKvStore } from '../broker/kv/store.ts'
import { createSecretVault } from '../broker/secrets/vault.ts'
import { CaissonError } from '../errors/caisson-error.ts'
import type { Call } from '../pipeline/call.ts'
import type { CapabilityAttempt, ServiceHost } from '../pipeline/services.ts'
import type { CapabilityContext, CapabilityRecord } from '../types/capability.ts'
import type { HostSpec } from './spec.ts'

/** What a host's brokers need of it. */
export interface CapabilitiesHost {
  diagnose(text: string): void
  /** Announces what was asked for; never logged. */
  announce(call: Call, entry: CapabilityRecord): void
  /** Files that the host itself writes. Absolute. */
  ownFiles(): readonly string[]
  /** Who decides about changes to files; told which call asks. */
  gates(callOf: (context: CapabilityContext) => Call | undefined): FileGates
}

/** The brokers of a host. */
export interface HostCapabilities extends Pick<ServiceHost, 'request' | 'tunnel' | 'scrub'> {
  /** What the brokers know of an attempt. Throws `CAPABILITY_DENIED` when it is granted nothing. */
  contextOf(attempt: CapabilityAttempt): CapabilityContext
  /** Files, for tools of the host's own. */
  readonly files: FileScenes
}

/** Creates the brokers of a host; `further` capabilities are the host's own. */
export function createCapabilities(
  spec: HostSpec,
  host: CapabilitiesHost,
  further: Readonly<Record<string, Capability>>,
): HostCapabilities {
  const calls = new WeakMap<CapabilityContext, Call>()
  const vault = createSecretVault(spec.secrets.present)
  const kvFolder = spec.stateDir === undefined ? undefined : join(spec.stateDir, 'kv')
  const files = createFileScenes({
    gates: host.gates((context) => calls.get(context)),
    rootOf: createRootFinder(resolve(spec.workspace)),
    hostPaths: () => ({
      hidden: spec.stateDir === undefined ? [] : [spec.stateDir],
      readOnly: host.ownFiles(),
    }),
  })
  const fetch = createFetchBroker({
    vault,
    resolve: createSystemResolver(),
    ownAddresses: listOwnAddresses,
  })
  const capabilities = new Map<string, Capability>([
    ['fetch', fetch],
    ['fs', createFsBroker(files)],
    ['kv', createKvBroker(createKvStore({ folder: kvFolder, diagnose: host.diagnose }))],
    ...Object.entries(further),
  ])
  const brokers = createBrokers({
    capabilities,
    tunnel: fetch.tunnel,
    diagnose: host.diagnose,
  })
  const contexts = new WeakMap<CapabilityAttempt, CapabilityContext>()
  const contextOf = (attempt: CapabilityAttempt): CapabilityContext => {
    const context = contexts.get(attempt) ?? toContext(attempt, host)
    contexts.set(attempt, context)
    calls.set(context, attempt.call)
    return context
  }
  return {
    files,
    contextOf,
    scrub: vault.scrub.json,
    request: async (attempt, capability, payload) =>
      brokers.request(contextOf(attempt), capability, payload),
    tunnel: async (attempt, request) => brokers.tunnel(contextOf(attempt), request),
  }
}

function toContext(attempt: CapabilityAttempt, host: CapabilitiesHost): CapabilityContext {
  const { call, registration, signal, standIns } = attempt
  const { grants } = registration.operator
  if (grants === undefined) {
    throw new CaissonError('CAPABILITY_DENIED', 'this tool is granted nothing')
  }
  const { callId, name, agent } = call.exec
  const placeholders = [...standIns].flatMap(([standIn, variable]): [string, string][] => {
    const secret = grants.secrets[variable]
    return secret === undefined ? [] : [[standIn, secret]]
  })
  return {
    callId,
    tool: name,
    ...(agent === undefined ? {} : { agent }),
    grants,
    placeholders: new Map(placeholders),
    signal,
    record: (entry) => host.announce(call, entry),
  }
}
