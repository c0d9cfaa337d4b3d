import { describe, expect, test } from 'vitest'
import { isCaissonError } from '../../src/errors/caisson-error.ts'
import { loadProfiles, parseProfile } from '../../src/sandbox/load-profiles.ts'

const refusalOf = (profile: object): string => {
  try {
    parseProfile({ name: 'p', engine: 'isolate', ...profile }, 'p')
  } catch (error) {
    if (isCaissonError(error) && error.code === 'CONFIG_INVALID') return error.message
    throw error
  }
  return 'accepted'
}

describe('parseProfile() grants', () => {
  test('a profile without grants has none, an empty list stays empty', () => {
    const bare = parseProfile({ name: 'p', engine: 'isolate' }, 'p')
    expect(bare).toMatchObject({ env: {}, secrets: {} })
    expect(bare).not.toHaveProperty('fetch')
    expect(bare).not.toHaveProperty('fs')
    expect(bare).not.toHaveProperty('kv')
    const empty = { fetch: { allow: [], methods: [] }, fs: { read: [], write: [] }, kv: {} }
    expect(parseProfile({ name: 'p', engine: 'isolate', ...empty }, 'p')).toMatchObject({
      fetch: { allow: [], methods: [], maxBytes: 2_097_152 },
      fs: { read: [], write: [], maxBytes: 4_194_304 },
      kv: { quotaBytes: 65_536 },
    })
  })

  test('methods default to those that only read', () => {
    const profile = parseProfile({ name: 'p', engine: 'isolate', fetch: { allow: [] } }, 'p')
    expect(profile.fetch?.methods).toEqual(['GET', 'HEAD'])
  })

  test('plain values and secrets of env are told apart', () => {
    const env = { TZ: 'UTC', TOKEN: { secret: 'EXAMPLE' } }
    expect(parseProfile({ name: 'p', engine: 'isolate', env }, 'p')).toMatchObject({
      env: { TZ: 'UTC' },
      secrets: { TOKEN: 'EXAMPLE' },
    })
  })

  test('$schema is allowed and not kept', () => {
    const profile = parseProfile({ $schema: './schema.json', name: 'p', engine: 'isolate' }, 'p')
    expect(profile).not.toHaveProperty('$schema')
  })

  test.each([
    ['an unknown key', { fecth: {} }, /fecth/],
    ['an unknown key inside', { fetch: { hosts: [] } }, /hosts/],
    ['a wildcard for everything', { fetch: { allow: ['https://*'] } }, /fetch\.allow\.0.*wildcard/],
    ['a whole top-level domain', { fetch: { allow: ['https://*.com'] } }, /two labels/],
    ['a wildcard inside a label', { fetch: { allow: ['https://a*.b.com'] } }, /whole labels/],
    ['a path', { fetch: { allow: ['https://a.com/x'] } }, /no path/],
    ['user info', { fetch: { allow: ['https://u@a.com'] } }, /refused/],
    ['another scheme', { fetch: { allow: ['ftp://a.com'] } }, /http/],
    ['a subdomain of an address', { fetch: { allow: ['http://*.127.0.0.1'] } }, /address/],
    ['TRACE', { fetch: { methods: ['GET', 'TRACE'] } }, /fetch\.methods\.1.*never/],
    ['CONNECT', { fetch: { methods: ['CONNECT'] } }, /never/],
    ['a host path', { fs: { read: ['/etc/**'] } }, /workspace:\//],
    ['a path out of its root', { fs: { read: ['workspace:/../x'] } }, /leaves its root/],
    ['writing the package', { fs: { write: ['package:/**'] } }, /never written/],
    ['an empty glob', { fs: { read: ['workspace:/'] } }, /names nothing/],
    ['grants for a thread', { engine: 'thread', fs: {}, fetch: {} }, /fetch: .*; fs: /],
    ['a secret for a thread', { engine: 'thread', env: { A: { secret: 'S' } } }, /env\.A/],
  ])('%s is refused with its place and the reason', (_what, profile, reason) => {
    expect(refusalOf(profile)).toMatch(reason)
  })

  test('ATK-075 names that make programs run something are refused, naming each', () => {
    const names = [
      ...['LD_PRELOAD', 'NODE_OPTIONS', 'BASH_ENV', 'GIT_SSH_COMMAND', 'npm_config_registry'],
      ...['ENV', 'PYTHONPATH', 'PYTHONSTARTUP', 'PERL5OPT', 'GIT_EXEC_PATH', 'DYLD_LIBRARY_PATH'],
    ]
    const text = refusalOf({ env: Object.fromEntries(names.map((name) => [name, 'x'])) })
    for (const name of names) expect(text).toContain(`env.${name}:`)
    expect(refusalOf({ env: { LANG: 'C', GITHUB_TOKEN: 'x' } })).toBe('accepted')
  })

  test.each([0, -1, NaN, Infinity, 2 ** 31])('ATK-121 timeoutMs %d is refused', (timeoutMs) => {
    expect(refusalOf({ limits: { timeoutMs } })).toMatch(/limits\.timeoutMs: /)
  })

  test.each([
    ['limits.memoryMb', { limits: { memoryMb: 1 } }],
    ['""', { '': 1 }],
    ['limits', { limits: { timeout: 5 } }],
    ['name', { name: '' }],
  ])('ATK-121 %s is refused, naming the place', (place, profile) => {
    expect(refusalOf(profile)).toContain(place)
  })
})

test('loadProfiles() every shipped sandboxed profile lets a tool read its own files and no secret', () => {
  const { list } = loadProfiles()
  const isolate = list.filter(({ engine }) => engine === 'isolate')
  expect(isolate.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['network-read', 'pure', 'workspace-read', 'workspace-write']),
  )
  for (const profile of isolate) expect(profile.fs?.read, profile.name).toContain('package:/**')
  expect(list.find(({ name }) => name === 'pure')).toMatchObject({ fs: { write: [] } })
})

describe('parseProfile() for programs', () => {
  const program = (profile: object): string => refusalOf({ engine: 'process', ...profile })

  test('a program is confined unless its operator says in so many words that it is not', () => {
    const confinementOf = (extra: object) =>
      parseProfile({ name: 'p', engine: 'process', ...extra }, 'p').confinement
    expect(confinementOf({})).toBe('required')
    expect(confinementOf({ confinement: 'required' })).toBe('required')
    expect(confinementOf({ confinement: 'none' })).toBe('none')
    expect(program({ confinement: 'preferred' })).toBe(
      'profile p: confinement: a program is confined or it is not: required or none',
    )
  })

  test('a network is none or brokered, and brokered only for what is confined', () => {
    const networkOf = (extra: object) =>
      parseProfile({ name: 'p', engine: 'process', ...extra }, 'p').process?.network
    expect(networkOf({})).toBe('none')
    expect(networkOf({ process: {} })).toBe('none')
    expect(networkOf({ process: { network: 'broker' } })).toBe('broker')
    expect(program({ process: { network: 'host' } })).toContain('process.network')
    expect(program({ process: { network: 'broker' }, confinement: 'none' })).toContain(
      'process.network: without confinement a program has the whole network',
    )
    expect(refusalOf({ process: { network: 'broker' } })).toContain('only the process engine')
  })
})
