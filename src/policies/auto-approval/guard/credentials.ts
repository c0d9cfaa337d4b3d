const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/,
  /(?<![A-Za-z0-9])(?:sk|gh[pousr]|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8}/,
  // With a dash it is the name of a package unless it looks random.
  /(?<![A-Za-z0-9])npm(?:_[A-Za-z0-9_-]{8}|-(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{8})/,
  /(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}/,
  /\bBearer[ \t+]+[A-Za-z0-9._~+/=-]{8}/i,
  /aws_?(?:access_?key_?id|secret_?access_?key|secret_?key|access_?key)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?[A-Za-z0-9/+=]{16}/i,
  // The scheme is looked for behind the slashes: begun in front, every letter of a text is a try of 31.
  /:\/\/(?<=[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/)[^\s/?#@:"']{0,256}:[^\s/?#@"']{1,256}@/,
]
const MAX_DECODES = 3

/** Whether a text holds a credential: in clear, or behind percent or JSON escapes. Linear time. */
export function holdsCredential(text: string): boolean {
  let current = text
  for (let round = 0; round <= MAX_DECODES; round += 1) {
    if (PATTERNS.some((pattern) => pattern.test(current))) return true
    const next = decode(current)
    if (next === current) return false
    current = next
  }
  return false
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('\\u')) return text
  const unescaped = text.replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return unescaped.replaceAll(/%([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
