import { isMetadataUrl } from '../urls.ts'
import { textsOf } from './arguments.ts'
import type { ClassRequest } from './judge-class.ts'
import { judgeTarget } from './targets.ts'

const PATH_KEYS: ReadonlySet<string> = new Set(
  (
    'path paths file files file_path filePath filename dir directory cwd workdir root target source src dest ' +
    'destination from to uri'
  ).split(' '),
)
const DELETES = words('delete destroy remove erase purge drop truncate wipe unlink rmdir')
const PUBLISHES = words('deploy publish push upload send post release merge submit')
const PRIVILEGES = words(
  'chmod chown permission permissions policy grant revoke reset role credential credentials secret secrets auth',
)
const MAX_VALUES = 20_000
const MAX_OPERANDS = 1024

/** A tool that nobody classified: arguments that name paths, and what its name stands for. */
export function judgeUnclassified(request: ClassRequest): void {
  const { findings, name, facts } = request
  findings.add({ code: 'UNCLASSIFIED_TOOL', layer: 'names' })
  judgeOperands(request)
  const tokens = nameTokens(name)
  if (tokens.some((token) => DELETES.has(token))) findings.add({ code: 'DELETE', layer: 'names' })
  if (tokens.some((token) => PUBLISHES.has(token)))
    findings.add({ code: 'NAME_RISK', layer: 'names', category: 'publish' })
  if (tokens.some((token) => PRIVILEGES.has(token)) || facts?.destructive === true)
    findings.add({ code: 'NAME_RISK', layer: 'names', category: 'privilege' })
}

const BETWEEN_WORDS = /[\s_\-./:]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/

// The words of a tool's name, in lower case.
function nameTokens(name: string): readonly string[] {
  return name.split(BETWEEN_WORDS).map((token) => token.toLowerCase())
}

function judgeOperands(request: ClassRequest): void {
  const { args, findings, folder } = request
  const all = textsOf(args, MAX_VALUES)
  const named = all?.filter(({ key }) => PATH_KEYS.has(key))
  if (named === undefined || named.length > MAX_OPERANDS) {
    findings.add({ code: 'BAD_ARGUMENTS', layer: 'names' })
    return
  }
  if (named.length === 0) return
  const { ground } = request
  const look = { ground, findings, folder, layer: 'names', plans: false } as const
  for (const { text } of named) {
    if (isMetadataUrl(text) && /^[a-z][a-z0-9+.-]*:/i.test(text))
      findings.add({ code: 'METADATA_ENDPOINT', layer: 'names' })
    // Other URLs are no paths.
    if (/^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(text)) continue
    judgeTarget(text, 'unknown', look)
  }
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}
