import { isRoutine } from '../../paths/judge.ts'
import { toPlace } from '../../paths/place.ts'
import { parseArgs } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { knownText, restOf, startOf, textOf, textWord } from '../shell-word.ts'
import { judgeCredentials } from './sender.ts'

/** Container runtimes and the command line of a code host. */
export const SERVICE_FAMILIES: Families = {
  ...Object.fromEntries(
    ['docker', 'podman', 'nerdctl', 'buildah', 'docker-compose'].map((name) => [
      name,
      judgeContainer,
    ]),
  ),
  gh: judgeGh,
}

const HOST_SPACES = /^--(?:pid|net|network|ipc|uts|userns|cgroupns)$/
const SOCKETS = /(?:docker|podman|containerd|crio)\.sock/

function judgeContainer(segment: Segment): void {
  segment.mark('other')
  segment.add('CONTAINER')
  const operands = segment.args.filter((word) => !startOf(word).startsWith('-'))
  if (operands.slice(0, 2).some((word) => textOf(word) === 'push')) segment.add('PUBLISH')
  if (reachesHost(segment)) segment.add('HOST_ACCESS')
  const args = parseArgs(segment.args, {
    values: 'f',
    long: ['env-file', 'file', 'secret', 'iidfile'],
  })
  for (const { name, value } of args.flags)
    if (value !== undefined && ['-f', '--env-file', '--file'].includes(name))
      segment.path(value, 'unknown')
  if (operands.some((word) => textOf(word) === 'cp'))
    for (const word of operands.slice(1))
      if (!/^[^/]*:/.test(startOf(word))) segment.path(word, 'unknown')
  if (operands.some((word) => ['rm', 'rmi', 'prune', 'down', 'kill'].includes(textOf(word) ?? '')))
    segment.add('INFRA')
}

function reachesHost(segment: Segment): boolean {
  return segment.args.some((word, index) => {
    const text = knownText(word)
    const at = text.indexOf('=')
    const flag = at < 0 ? text : text.slice(0, at)
    const value = at < 0 ? segment.args[index + 1] : restOf(word, at + 1)
    const known = value === undefined ? '' : knownText(value)
    if (SOCKETS.test(text) || flag === '--privileged') return true
    if (['--device', '--cap-add', '--security-opt', '-H', '--host', '--context'].includes(flag))
      return true
    if (HOST_SPACES.test(flag) && (known === 'host' || known.startsWith('container:'))) return true
    if (flag === '--mount') return /bind/.test(known) && isForeign(mountSource(known), segment)
    if (flag === '-v' || flag === '--volume')
      return value !== undefined && isForeign(volumeSource(value), segment)
    return /^-v./.test(text) && isForeign(volumeSource(restOf(word, 2)), segment)
  })
}

function mountSource(text: string): ShellWord {
  const [, source = '/'] = /(?:^|,)(?:source|src)=([^,]*)/.exec(text) ?? []
  return textWord(source)
}

function volumeSource(word: ShellWord): ShellWord {
  const text = textOf(word)
  if (text !== undefined) return textWord(text.split(':')[0] ?? text)
  const [first, ...rest] = word.atoms
  if (typeof first === 'string' && first.includes(':'))
    return textWord(first.split(':')[0] ?? first)
  return { ...word, atoms: first === undefined ? word.atoms : [first, ...rest.slice(0, 0)] }
}

// A name without a slash is a volume of the runtime.
function isForeign(source: ShellWord, { context }: Segment): boolean {
  const text = textOf(source)
  if (text !== undefined && !/[/~.]/.test(text)) return false
  const { ground } = context.line
  const { paths, unknown } = context.place.folders
  if (unknown || text === undefined) return true
  return paths.some((folder) => {
    const place = toPlace([text], { folder, home: ground.home })
    return place?.literal === undefined || !isRoutine(place.segments, ground)
  })
}

const SENDING: ReadonlySet<string> = new Set(['api', 'gist', 'secret', 'variable', 'codespace'])
const GH_CHANGES =
  'create merge close delete comment edit review run reopen lock transfer archive fork rename'

function judgeGh(segment: Segment): void {
  segment.mark('other')
  judgeCredentials(segment)
  const names = segment.args.flatMap((word) => {
    const text = textOf(word)
    return text === undefined || text.startsWith('-') ? [] : [text]
  })
  const [group, action] = names
  if (group === 'auth' && action === 'token') segment.add('SECRET_READ')
  if (
    group === 'auth' &&
    segment.args.some((word) => /^(?:-t|--show-token)$/.test(textOf(word) ?? ''))
  )
    segment.add('SECRET_READ')
  if (group === 'release' && action === 'create') segment.add('PUBLISH')
  if (names.slice(0, 3).some((name) => GH_CHANGES.split(' ').includes(name))) segment.add('PUBLISH')
  if (
    group === 'api' &&
    segment.args.some((word) =>
      /^(?:-X|--method|-f|-F|--field|--raw-field|--input)/.test(startOf(word)),
    )
  )
    segment.add('PUBLISH')
  // Looking something up sends nothing of the workspace.
  if (segment.codes.has('PUBLISH') || SENDING.has(group ?? '')) segment.event('sender')
  segment.add('NETWORK')
  for (const word of segment.args) {
    if (startOf(word).startsWith('-')) continue
    segment.path(word, 'unknown')
  }
}
