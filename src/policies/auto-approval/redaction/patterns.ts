/** A shape of text that is a secret wherever it stands. `keep` says what of a match stays. */
export interface SecretShape {
  readonly pattern: RegExp
  readonly mask: (match: string, ...groups: string[]) => string
}

/** What stands in place of a secret. */
export const MASK: string = '[redacted]'

const whole = (): string => MASK
// Every quantifier is bounded or runs over one class that what follows cannot match: linear time.
const NAME =
  '(?:api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|session[_-]?token|client[_-]?secret|secret[_-]?key|private[_-]?key|signing[_-]?key|password|passwd|passphrase|secret|token|cookie|authorization|credential|signature)s?'
const PREFIX = '(?:[A-Za-z0-9]{1,24}[_.-]){0,4}'

/** Shapes that are masked unless redaction is off. */
export const SHAPES: readonly SecretShape[] = [
  {
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,8}[:=]\s{0,8}["']?)([^\s"',;]{1,40}[ \t]{1,4})?([^\s"',;]{6,8192})/gi,
    mask: (_all, head, scheme) => `${head}${scheme ?? ''}${MASK}`,
  },
  {
    pattern: /\b(Bearer[ \t]{1,4})[A-Za-z0-9._~+/=-]{8,8192}/g,
    mask: (_all, head) => `${head}${MASK}`,
  },
  {
    pattern:
      /(?<![A-Za-z0-9])(?:sk|ghp|gho|ghu|ghs|github_pat|glpat|npm|xoxa|xoxb|xoxp|xoxr|xoxs)[-_][A-Za-z0-9_-]{8,1024}/g,
    mask: whole,
  },
  { pattern: /(?<![A-Z0-9])AKIA[A-Z0-9]{16}(?![A-Z0-9])/g, mask: whole },
  {
    pattern:
      /\b(aws_?(?:access_?key_?id|secret_?access_?key)["']?\s{0,8}[:=]\s{0,8}["']?)[A-Za-z0-9/+=]{16,256}/gi,
    mask: (_all, head) => `${head}${MASK}`,
  },
  {
    pattern:
      /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,8192}\.[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{20,8192}/g,
    mask: whole,
  },
  {
    pattern:
      /\b([A-Za-z][A-Za-z0-9+.-]{0,31}:\/\/[^\s/:@?#"'<>]{0,256}:)[^\s/@?#"'<>]{1,1024}(?=@)/g,
    mask: (_all, head) => `${head}${MASK}`,
  },
]

const HARMLESS = '(?!(?:none|null|undefined|true|false|\\[redacted\\])(?![A-Za-z0-9]))'

/** What `full` adds: values that stand behind the name of a credential. */
export const NAMED: readonly SecretShape[] = [
  {
    pattern: new RegExp(
      `(?<![A-Za-z0-9_.-])(${PREFIX}${NAME}["']?\\s{0,8}[:=]\\s{0,8})(["']?)${HARMLESS}([^\\s"',;&}\\]]{6,8192})`,
      'gi',
    ),
    mask: (_all, head, quote) => `${head}${quote}${MASK}`,
  },
]

const FIELD = new RegExp(`^${PREFIX}${NAME}$`, 'i')
const CAMEL = /([a-z0-9])([A-Z])/g

/** Whether an object's field of that name holds a credential. */
export function isCredentialName(name: string): boolean {
  return name.length <= 200 && (FIELD.test(name) || FIELD.test(name.replace(CAMEL, '$1_$2')))
}

const PEM_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----/g
const PEM_END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY-----/g

/** The text without private key blocks; one that nothing ends is masked to the end of the text. */
export function maskPrivateKeys(text: string, found: () => void): string {
  if (!text.includes('PRIVATE KEY-----')) return text
  const begins = new RegExp(PEM_BEGIN)
  const ends = new RegExp(PEM_END)
  let masked = ''
  let at = 0
  for (let begin = begins.exec(text); begin !== null; begin = begins.exec(text)) {
    ends.lastIndex = begin.index
    const end = ends.exec(text)
    masked += text.slice(at, begin.index) + MASK
    at = end === null ? text.length : end.index + end[0].length
    begins.lastIndex = at
    found()
  }
  return masked + text.slice(at)
}
