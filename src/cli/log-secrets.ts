import type { OperatorConfig } from '../config/operator-schema.ts'
import { isCredentialName } from '../policies/auto-approval/redaction/patterns.ts'
import type { ResolvedSecrets } from '../host/resolve-secrets.ts'

export interface SecretSources {
  readonly secrets: ResolvedSecrets
  readonly mcpServers: OperatorConfig['mcpServers']
  readonly env: Readonly<Record<string, string | undefined>>
  readonly token: string
}

/** What is shorter cannot be told from ordinary text. */
const MIN_BYTES = 8

/**
 * Every value that a log must not show, by the name that stands in its place: secrets of the host,
 * the server's own token, what servers are given, and variables of this process with telling names.
 */
export function collectSecrets({
  secrets,
  mcpServers,
  env,
  token,
}: SecretSources): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && Buffer.byteLength(value) >= MIN_BYTES) found.set(name, value)
  }
  for (const [name, value] of Object.entries(env)) if (isCredentialName(name)) add(name, value)
  for (const [server, { env: variables = {}, headers = {} }] of Object.entries(mcpServers)) {
    for (const [name, text] of Object.entries({ ...variables, ...headers })) {
      for (const [, variable = ''] of text.matchAll(/\$\{([A-Za-z_]\w*)\}/g))
        add(variable, env[variable])
      if (!isCredentialName(name) || text.includes('${')) continue
      add(`${server}.${name}`, text)
      const [, value] = /^\w+ +(\S+)$/.exec(text) ?? [] // `Bearer …`
      add(`${server}.${name} value`, value)
    }
  }
  for (const [name, { value }] of secrets.present) add(name, value)
  add('serve.token', token)
  return found
}
