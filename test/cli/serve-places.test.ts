import { expect, test } from 'vitest'
import { operatorSchema } from '../../src/config/operator-schema.ts'
import { resolvePlaces, resolveToken, type PlaceOptions } from '../../src/cli/serve-places.ts'

const resolve = (options: PlaceOptions, serve: object = {}): unknown => {
  const parsed = operatorSchema.parse({ serve })
  return resolvePlaces(options, parsed.serve)
}
const at = (port: number, host: string = '127.0.0.1'): object => ({ host, port })

test.each<[PlaceOptions, object, unknown]>([
  [{}, {}, { http: undefined, metrics: undefined }],
  [{ http: '7331' }, {}, { http: at(7331), metrics: undefined }],
  [{ http: '7331', metrics: true }, {}, { http: at(7331), metrics: 'http' }],
  [{}, { http: '[::1]:7331', metrics: true }, { http: at(7331, '::1'), metrics: 'http' }],
  [{ metricsHttp: '9464' }, {}, { http: undefined, metrics: at(9464) }],
  [{}, { metrics: 'localhost:9464' }, { http: undefined, metrics: at(9464, 'localhost') }],
  [{ http: '1', metricsHttp: '2' }, { metrics: true }, { http: at(1), metrics: at(2) }],
])('resolvePlaces() of %j and %j', (options, serve, places) => {
  expect(resolve(options, serve)).toEqual(places)
})

test('resolvePlaces() refuses metrics that have no place, and what is no address, in one line', () => {
  expect(() => resolve({ metrics: true })).toThrow(/^--metrics: .*--metrics-http 9464$/)
  expect(() => resolve({ metricsHttp: 'x:y' })).toThrow(
    '--metrics-http x:y: give a port, or host:port',
  )
  expect(() => resolve({ http: '70000' })).toThrow('--http 70000: give a port, or host:port')
})

test('resolveToken() takes the token that is named, and makes one up otherwise', () => {
  const serve = operatorSchema.parse({ serve: { tokenEnv: 'T' } }).serve
  expect(resolveToken(serve, { T: 'given' })).toEqual({ value: 'given', isGiven: true })
  expect(() => resolveToken(serve, { T: '' })).toThrow('serve.tokenEnv: T is not set')
  const { value, isGiven } = resolveToken(operatorSchema.parse({}).serve, {})
  expect(isGiven).toBe(false)
  expect(value).toMatch(/^[\w-]{32}$/)
})
