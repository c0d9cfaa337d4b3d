import { holdsCredential } from '../../guard/credentials.ts'
import { isMetadataUrl, parseUrl } from '../../urls.ts'
import type { OptionSpec, ParsedArgs } from '../options.ts'
import { hasFlag, isFlag, parseArgs, valuesOf } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, isOpen, knownText, restOf, startOf, textOf, textWord } from '../shell-word.ts'
import { hazardIn, HAZARDS } from './hazard-flags.ts'
import { judgeRemoteCopy } from './remote-copy.ts'

/** Programs that send or fetch. */
export const NETWORK_FAMILIES: Families = {
  curl: judgeCurl,
  wget: judgeWget,
  http: judgeHttpie,
  https: judgeHttpie,
  xh: judgeHttpie,
  aria2c: judgeAria,
  nc: judgeNetcat,
  ncat: judgeNetcat,
  netcat: judgeNetcat,
  socat: judgeSocat,
  ssh: judgeSsh,
  ...Object.fromEntries(['scp', 'sftp', 'rsync'].map((name) => [name, judgeTransfer])),
  ...Object.fromEntries(
    ['telnet', 'ftp', 'dig', 'nslookup', 'host', 'drill', 'ping'].map((name) => [
      name,
      judgeLookup,
    ]),
  ),
}

/** What every sender is judged for: hosts, credentials in its words, files on its standard input. */
export function judgeSender(segment: Segment): void {
  segment.mark('other')
  segment.add('NETWORK')
  segment.event('sender')
  judgeCredentials(segment)
  if (segment.redirects.readsFile) segment.add('UPLOAD')
  for (const word of segment.args) {
    const text = knownText(word)
    noteUrl(text, segment)
    const value = text.slice(text.indexOf('=') + 1)
    const host = text.slice(text.lastIndexOf('@') + 1)
    if ([text, value, host, `http://${host}`].some(isMetadataUrl)) segment.add('METADATA_ENDPOINT')
  }
}

/** Credential text in the words or the here-document of a command that sends. */
export function judgeCredentials(segment: Segment): void {
  const { stdin } = segment.context
  const texts = segment.args.map(knownText)
  const fed = stdin.kind === 'text' ? [knownText(stdin.text)] : []
  if ([...texts, texts.join(' '), ...fed].some(holdsCredential)) segment.add('CREDENTIAL_EGRESS')
}

function noteUrl(text: string, { context }: Segment): void {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) context.line.urls.push(text.replaceAll('\u0000', ''))
}

// Keys and certificates are used, not sent.
function glanceAll(words: readonly ShellWord[], segment: Segment): void {
  for (const word of words) segment.glance(word, 'unknown')
}

function uploads(words: readonly ShellWord[], segment: Segment): void {
  for (const word of words) {
    segment.add('UPLOAD')
    if (textOf(word) !== '-') segment.path(word, 'read')
  }
}

const CURL: OptionSpec = {
  values: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz',
  long: (
    'output data data-binary data-ascii data-raw data-urlencode json form form-string header request user ' +
    'user-agent referer cookie cookie-jar dump-header upload-file url max-time connect-timeout retry ' +
    'retry-delay write-out cacert capath cert key proxy preproxy config engine resolve connect-to trace ' +
    'trace-ascii stderr output-dir libcurl etag-save etag-compare hsts netrc-file range interface ' +
    'limit-rate max-filesize max-redirs proto proto-redir ciphers unix-socket aws-sigv4 oauth2-bearer'
  ).split(' '),
}
const CURL_DATA = ['-d', '--data', '--data-binary', '--data-ascii', '--data-urlencode', '--json']

function judgeCurl(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, CURL)
  if (hazardIn(args, HAZARDS.curl)) segment.add('HAZARD_FLAG')
  const outputs = valuesOf(
    args,
    ...['-o', '-D', '-c', '--output', '--dump-header', '--cookie-jar', '--trace', '--trace-ascii'],
    ...['--stderr', '--output-dir', '--libcurl', '--etag-save', '--hsts'],
  )
  segment.paths(
    outputs.filter((word) => textOf(word) !== '-'),
    'write',
  )
  glanceAll(
    valuesOf(
      args,
      '--cacert',
      '--capath',
      '-E',
      '--cert',
      '--key',
      '--netrc-file',
      '--etag-compare',
    ),
    segment,
  )
  if (hasFlag(args, '-n', '--netrc', '--netrc-optional')) segment.add('SECRET_READ')
  if (hasFlag(args, '--unix-socket', '--abstract-unix-socket')) segment.add('HOST_ACCESS')
  judgeCurlUploads(args, segment)
  if (hasFlag(args, '-O', '--remote-name', '--remote-name-all'))
    judgeNamedByUrl(args.operands, hasFlag(args, '-J', '--remote-header-name'), segment)
  for (const url of [...args.operands, ...valuesOf(args, '--url')])
    if (/^file:/i.test(startOf(url))) segment.path(url, 'read')
}

function judgeCurlUploads(args: ParsedArgs, segment: Segment): void {
  uploads(valuesOf(args, '-T', '--upload-file'), segment)
  for (const word of valuesOf(args, ...CURL_DATA)) {
    const file = fileIn(word)
    if (file !== undefined) uploads([file], segment)
  }
  for (const word of valuesOf(args, '-F', '--form')) {
    const at = startOf(word).indexOf('=')
    const value = at < 0 ? undefined : restOf(word, at + 1)
    if (value !== undefined && /^[@<]/.test(startOf(value)))
      uploads([untilType(restOf(value, 1))], segment)
    else if (value !== undefined && startOf(value) === '' && isDynamic(value)) segment.add('UPLOAD')
  }
  for (const word of valuesOf(args, '-H', '--header', '-w', '--write-out'))
    if (startOf(word).startsWith('@')) uploads([restOf(word, 1)], segment)
  for (const word of valuesOf(args, '-b', '--cookie'))
    if (!knownText(word).includes('=')) segment.path(word, 'read')
}

// `@file`, and `name@file` of `--data-urlencode`. A value that is not known can begin with `@`.
function fileIn(word: ShellWord): ShellWord | undefined {
  const start = startOf(word)
  if (start.startsWith('@')) return restOf(word, 1)
  const at = start.indexOf('@')
  if (at > 0 && /^[\w.-]+$/.test(start.slice(0, at))) return restOf(word, at + 1)
  return start === '' && isDynamic(word) ? word : undefined
}

function untilType(word: ShellWord): ShellWord {
  const text = textOf(word)
  return text === undefined ? word : textWord(text.split(/[;,]/)[0] ?? text)
}

function judgeNamedByUrl(urls: readonly ShellWord[], remote: boolean, segment: Segment): void {
  for (const url of urls) {
    const name = parseUrl(textOf(url) ?? '')
      ?.pathname.split('/')
      .at(-1)
    if (remote || isOpen(url) || name === undefined) segment.add('DYNAMIC_WRITE')
    else segment.path(textWord(name === '' ? 'index.html' : `./${name}`), 'write')
  }
}

const WGET: OptionSpec = {
  values: 'OoaPiUtTwBeAQRDIXl',
  long: (
    'output-document output-file append-output directory-prefix input-file post-file post-data body-file ' +
    'body-data header user-agent tries timeout wait base execute user password load-cookies save-cookies ' +
    'ca-certificate certificate private-key method use-askpass config accept reject level'
  ).split(' '),
}

function judgeWget(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, WGET)
  if (hasFlag(args, '-e', '--execute', '--use-askpass', '--config')) segment.add('HAZARD_FLAG')
  uploads(valuesOf(args, '--post-file', '--body-file'), segment)
  segment.paths(valuesOf(args, '-i', '--input-file'), 'read')
  glanceAll(
    valuesOf(args, '--load-cookies', '--ca-certificate', '--certificate', '--private-key'),
    segment,
  )
  const documents = valuesOf(args, '-O', '--output-document').filter((word) => textOf(word) !== '-')
  const logs = valuesOf(args, '-o', '-a', '--output-file', '--append-output', '--save-cookies')
  const folders = valuesOf(args, '-P', '--directory-prefix')
  segment.paths([...documents, ...logs.filter((word) => textOf(word) !== '-'), ...folders], 'write')
  const quiet = hasFlag(args, '-O', '--output-document', '--spider') || folders.length > 0
  if (!quiet) judgeNamedByUrl(args.operands, hasFlag(args, '--content-disposition'), segment)
  if (hasFlag(args, '-r', '--recursive', '-m', '--mirror') && folders.length === 0)
    segment.add('DYNAMIC_WRITE')
}

function judgeHttpie(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, {
    values: 'opa',
    long: [
      'output',
      'print',
      'auth',
      'session',
      'cert',
      'cert-key',
      'verify',
      'raw',
      'timeout',
      'proxy',
    ],
  })
  segment.paths(valuesOf(args, '-o', '--output'), 'write')
  if (hasFlag(args, '--proxy')) segment.add('HAZARD_FLAG')
  for (const word of args.operands) {
    const [, before] = /^([\w.-]*(?::=|=|)@)/.exec(startOf(word)) ?? []
    if (before !== undefined) uploads([restOf(word, before.length)], segment)
  }
  if (hasFlag(args, '-d', '--download') && valuesOf(args, '-o').length === 0)
    segment.add('DYNAMIC_WRITE')
}

function judgeAria(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, {
    values: 'odiljsxkm',
    long: ['out', 'dir', 'input-file', 'log', 'save-session', 'conf-path'],
  })
  if (args.flags.some(({ name }) => name.startsWith('--on-')) || hasFlag(args, '--conf-path'))
    segment.add('HAZARD_FLAG')
  segment.paths(valuesOf(args, '-i', '--input-file'), 'read')
  segment.paths(
    valuesOf(args, '-o', '-d', '-l', '--out', '--dir', '--log', '--save-session'),
    'write',
  )
}

function judgeNetcat(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, {
    values: 'ecgGiIMmoOpPqsTVwWxX',
    long: [
      'exec',
      'sh-exec',
      'lua-exec',
      'output',
      'hex-dump',
      'proxy',
      'source-port',
      'wait',
      'idle-timeout',
      'delay',
      'max-conns',
    ],
  })
  if (args.flags.some((flag) => isFlag(flag, '-e', '-c', '--exec', '--sh-exec', '--lua-exec')))
    segment.add('REMOTE_SHELL')
  segment.paths(valuesOf(args, '-o', '--output', '--hex-dump'), 'write')
}

function judgeSocat(segment: Segment): void {
  judgeSender(segment)
  for (const word of segment.args) {
    const text = knownText(word)
    if (/(?:^|!!|\|)\s*(?:EXEC|SYSTEM|SHELL):/i.test(text)) segment.add('REMOTE_SHELL')
    const [, file] = /^(?:FILE|OPEN|CREATE|CREAT|GOPEN|PIPE):([^,]*)/i.exec(text) ?? []
    if (file !== undefined) {
      segment.path(textWord(file), 'read')
      segment.path(textWord(file), 'write')
    }
  }
}

const SSH_COMMANDS =
  /^(?:proxycommand|localcommand|permitlocalcommand|knownhostscommand|remotecommand|proxyusefdpass|include|pkcs11provider|securitykeyprovider)\b/i

function judgeSsh(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, { values: 'bcDEeFIiJLlmOopQRSWwB', stops: true })
  const options = valuesOf(args, '-o')
  if (options.some((word) => isDynamic(word) || SSH_COMMANDS.test(knownText(word).trim())))
    segment.add('HAZARD_FLAG')
  if (hasFlag(args, '-I', '-F')) segment.add('HAZARD_FLAG')
  segment.paths(valuesOf(args, '-E'), 'write')
  glanceAll(valuesOf(args, '-i', '-F'), segment)
  if (args.operands.length > 1 || segment.context.stdin.kind !== 'inherited')
    segment.add('REMOTE_RUN')
}

function judgeTransfer(segment: Segment): void {
  judgeSender(segment)
  judgeRemoteCopy(segment, uploads)
}

function judgeLookup(segment: Segment): void {
  judgeSender(segment)
  if (segment.name !== 'dig') return
  const args = parseArgs(segment.args, { values: 'bcfkpqtxy' })
  segment.paths(valuesOf(args, '-f', '-k'), 'read')
}
