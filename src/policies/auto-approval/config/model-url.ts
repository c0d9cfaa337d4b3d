import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { ModelSettings } from './settings.ts'

/** What is wrong with the endpoint of a model; undefined when a key may be sent there. */
export function parseModelUrl(model: ModelSettings | undefined): string | undefined {
  if (model === undefined) return undefined
  const url = URL.parse(model.baseUrl)
  if (url === null) return 'must be a URL'
  if (url.username !== '' || url.password !== '') return 'must hold no user and no password'
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment'
  if (url.protocol === 'https:') return undefined
  if (url.protocol !== 'http:') return 'must be https, or http to this machine'
  if (isLoopback(url.hostname)) return undefined
  if (model.allowPrivateHttp && isPrivate(url.hostname)) return undefined
  return model.allowPrivateHttp
    ? 'must be https, or http to this machine or a private address'
    : 'must be https, or http to this machine (allowPrivateHttp permits private addresses)'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || rangeOf(host) === 'loopback'
}

function isPrivate(host: string): boolean {
  return ['private', 'uniqueLocal', 'linkLocal'].includes(rangeOf(host) ?? '')
}

function rangeOf(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).range()
}
