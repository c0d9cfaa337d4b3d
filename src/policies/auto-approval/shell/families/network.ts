import type { OptionSpec } from '../options.ts'
import { hasFlag, isFlag, parseArgs, valuesOf } from '../options.ts'
import type { Families, Segment } from '../segment.ts'
import { isDynamic, knownText, restOf, startOf, textOf, textWord } from '../shell-word.ts'
import { judgeCurl } from './curl.ts'
import { judgeRemoteCopy } from './remote-copy.ts'
import { glanceAll, judgeNamedByUrl, judgeSender, judgeUploads } from './sender.ts'

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
  judgeUploads(valuesOf(args, '--post-file', '--body-file'), segment)
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
    if (before !== undefined) judgeUploads([restOf(word, before.length)], segment)
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
  judgeRemoteCopy(segment)
}

function judgeLookup(segment: Segment): void {
  judgeSender(segment)
  if (segment.name !== 'dig') return
  const args = parseArgs(segment.args, { values: 'bcfkpqtxy' })
  segment.paths(valuesOf(args, '-f', '-k'), 'read')
}
