import ipaddr from 'ipaddr.js'

const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  'fd00:ec2::254',
  '100.100.100.200',
  'metadata.google.internal',
])

// Addresses have digits; names are spelled out, or in letters that a URL folds.
const COULD_BE = /[0-9]|metadata|\P{ASCII}/iu

/** A URL with or without a scheme, as network programs take it; undefined when it is none. */
export function parseUrl(text: string): URL | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  return URL.canParse(whole) ? new URL(whole) : undefined
}

/** Whether the host of a text is a cloud metadata service, in any spelling of its address. */
export function isMetadataUrl(text: string): boolean {
  if (!COULD_BE.test(text)) return false
  const url = parseUrl(text)
  if (url === undefined) return false
  if (isMetadataHost(url.hostname)) return true
  // Only special schemes have their hosts normalised.
  const again = parseUrl(`http://${url.host}`)
  return again !== undefined && isMetadataHost(again.hostname)
}

/** Whether a host name or address is that of a cloud metadata service. */
export function isMetadataHost(host: string): boolean {
  const normal = parseUrl(host)?.hostname ?? host
  return METADATA.has(canonical(normal)) || METADATA.has(canonical(host))
}

function canonical(host: string): string {
  const bare = host
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase()
  if (!ipaddr.isValid(bare)) return bare
  const address = ipaddr.process(bare)
  return address.toString()
}
