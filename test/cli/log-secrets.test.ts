import { expect, test } from 'vitest'
import { collectSecrets } from '../../src/cli/log-secrets.ts'
import { operatorSchema } from '../../src/config/operator-schema.ts'
import { resolveHostSpec } from '../../src/host/spec.ts'

test('collectSecrets() finds what the host keeps, what servers are given, and telling variables', () => {
  const { mcpServers } = operatorSchema.parse({
    mcpServers: {
      search: {
        url: 'https://mcp.example.com/mcp',
        headers: { authorization: 'Bearer literal-value', accept: 'text/plain;q=1' },
      },
      local: { command: 'node', env: { PLACE: '${ODD_NAME}', DB_PASSWORD: 'literal-password' } },
    },
  })
  const hosts = ['https://api.example.com']
  const { secrets } = resolveHostSpec({ secrets: { VAULT: { value: 'vault-value', hosts } } })
  const env = {
    ODD_NAME: 'odd-value',
    SOME_API_KEY: 'variable-value',
    SHORT_TOKEN: 'abc',
    HOME: '/home/somebody',
  }
  const found = collectSecrets({ secrets, mcpServers, env, token: 'server-token' })
  expect([...found.values()].toSorted()).toEqual(
    [
      'Bearer literal-value',
      'literal-value',
      'literal-password',
      'odd-value',
      'variable-value',
      'vault-value',
      'server-token',
    ].toSorted(),
  )
})
