import type { OptionSpec, ParsedArgs } from '../options.ts'
import { hasFlag, parseArgs, valuesOf } from '../options.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, knownText, restOf, startOf, textOf, textWord } from '../shell-word.ts'
import { hazardIn } from './hazard-flags.ts'
import { READER_HAZARDS } from './reader-hazards.ts'
import { glanceAll, judgeNamedByUrl, judgeSender, judgeUploads } from './sender.ts'

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

/** `curl`: what it sends, what it writes, and flags that make it something else. */
export function judgeCurl(segment: Segment): void {
  judgeSender(segment)
  const args = parseArgs(segment.args, CURL)
  if (hazardIn(args, READER_HAZARDS.curl)) segment.add('HAZARD_FLAG')
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
  judgeUploads(valuesOf(args, '-T', '--upload-file'), segment)
  for (const word of valuesOf(args, ...CURL_DATA)) {
    const file = fileIn(word)
    if (file !== undefined) judgeUploads([file], segment)
  }
  for (const word of valuesOf(args, '-F', '--form')) {
    const at = startOf(word).indexOf('=')
    const value = at < 0 ? undefined : restOf(word, at + 1)
    if (value !== undefined && /^[@<]/.test(startOf(value)))
      judgeUploads([untilType(restOf(value, 1))], segment)
    else if (value !== undefined && startOf(value) === '' && isDynamic(value)) segment.add('UPLOAD')
  }
  for (const word of valuesOf(args, '-H', '--header', '-w', '--write-out'))
    if (startOf(word).startsWith('@')) judgeUploads([restOf(word, 1)], segment)
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
