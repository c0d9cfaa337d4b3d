import type { Families, Segment } from '../segment.ts'
import { startOf, textOf } from '../shell-word.ts'

const PRIVILEGE = 'sudo doas su pkexec runuser run0 runas gsudo sudoedit'
const CONTROL =
  'shutdown reboot halt poweroff kexec insmod rmmod modprobe setenforce set-executionpolicy bcdedit ' +
  'format-volume clear-disk remove-partition'
const INFRA =
  'psql mysql mongosh redis-cli createdb dropdb kubectl helm terraform tofu pulumi az service kill pkill killall gcloud aws'
const PERSISTENCE = 'crontab at batch systemd-run'
const HOST = 'mount umount chroot unshare nsenter setcap capsh gdb strace ltrace'
const FOREIGN = 'pwsh powershell cmd fish'

/** Commands that act on the whole machine, on services, or on what runs later. */
export const CONTROL_FAMILIES: Families = {
  ...all(PRIVILEGE, 'PRIVILEGE_COMMAND'),
  ...all(CONTROL, 'SYSTEM_CONTROL'),
  ...all(INFRA, 'INFRA'),
  ...all(PERSISTENCE, 'PERSISTENCE'),
  ...all(HOST, 'HOST_ACCESS'),
  ...all(FOREIGN, 'FOREIGN_SHELL'),
  init: judgeInit,
  telinit: judgeInit,
  hwclock: judgeHwclock,
  timedatectl: judgeTimedatectl,
  systemctl: judgeSystemctl,
  launchctl: judgeLaunchctl,
  gcloud: judgeGcloud,
  aws: judgeAws,
  security: judgeSecurity,
  gpg: judgeGpg,
  gpg2: judgeGpg,
  pass: printsSecrets,
  op: printsSecrets,
}

/** `ansible`, `ansible-playbook` and the like. */
export function isAnsible(name: string): boolean {
  return name.startsWith('ansible')
}

export function judgeInfra(segment: Segment): void {
  judgeAs('INFRA', segment)
}

function all(names: string, code: string): Families {
  return Object.fromEntries(
    names.split(' ').map((name) => [name, (segment: Segment) => judgeAs(code, segment)]),
  )
}

function judgeAs(code: string, segment: Segment): void {
  segment.mark('other')
  segment.add(code)
  for (const word of segment.args) if (!startOf(word).startsWith('-')) segment.path(word, 'unknown')
}

function subcommands(segment: Segment): readonly string[] {
  return segment.args.flatMap((word) => {
    const text = textOf(word)
    return text === undefined || text.startsWith('-') ? [] : [text]
  })
}

function judgeInit(segment: Segment): void {
  const stops = subcommands(segment).some((text) => text === '0' || text === '6')
  judgeAs(stops ? 'SYSTEM_CONTROL' : 'INFRA', segment)
}

function judgeHwclock(segment: Segment): void {
  const reads = segment.args.every((word) =>
    /^(?:-[rvu]+|--(?:show|get|verbose|utc|localtime|version|help))$/.test(textOf(word) ?? 'x'),
  )
  if (!reads) return judgeAs('SYSTEM_CONTROL', segment)
  segment.mark('text')
  segment.settle('TEXT_ONLY')
}

function judgeTimedatectl(segment: Segment): void {
  const sets = subcommands(segment).some((text) => text.startsWith('set-'))
  judgeAs(sets ? 'SYSTEM_CONTROL' : 'UNKNOWN_COMMAND', segment)
}

function judgeSystemctl(segment: Segment): void {
  judgeAs('INFRA', segment)
  const names = subcommands(segment)
  if (
    names.some((name) =>
      ['poweroff', 'reboot', 'halt', 'kexec', 'emergency', 'rescue'].includes(name),
    )
  )
    segment.add('SYSTEM_CONTROL')
  if (names.some((name) => ['enable', 'link', 'edit', 'mask'].includes(name)))
    segment.add('PERSISTENCE')
}

function judgeLaunchctl(segment: Segment): void {
  judgeAs('INFRA', segment)
  if (subcommands(segment).some((name) => ['load', 'bootstrap', 'enable'].includes(name)))
    segment.add('PERSISTENCE')
}

function judgeGcloud(segment: Segment): void {
  judgeAs('INFRA', segment)
  const names = subcommands(segment)
  if (names.includes('auth') && names.some((name) => name.startsWith('print-')))
    segment.add('SECRET_READ')
}

function judgeAws(segment: Segment): void {
  judgeAs('INFRA', segment)
  const names = subcommands(segment)
  if (
    names.includes('configure') &&
    names.some((name) => name === 'get' || name === 'export-credentials')
  )
    segment.add('SECRET_READ')
}

function judgeSecurity(segment: Segment): void {
  judgeAs('UNKNOWN_COMMAND', segment)
  if (subcommands(segment).some((name) => name.startsWith('find-') || name.startsWith('dump-')))
    segment.add('SECRET_READ')
}

function judgeGpg(segment: Segment): void {
  judgeAs('UNKNOWN_COMMAND', segment)
  if (segment.args.some((word) => startOf(word).startsWith('--export-secret')))
    segment.add('SECRET_READ')
}

function printsSecrets(segment: Segment): void {
  judgeAs('UNKNOWN_COMMAND', segment)
  segment.add('SECRET_READ')
}
