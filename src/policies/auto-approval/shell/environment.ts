const HOOKS: ReadonlySet<string> = new Set(
  (
    'PATH HOME SHELL ENV BASH_ENV SHELLOPTS BASHOPTS IFS PS4 PROMPT_COMMAND CDPATH GLOBIGNORE NODE_OPTIONS ' +
    'NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED PERL5LIB PERL5OPT RUBYOPT RUBYLIB ' +
    'JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS CLASSPATH PAGER MANPAGER LESS LESSOPEN ' +
    'LESSCLOSE EDITOR VISUAL BROWSER SSH_ASKPASS SUDO_ASKPASS CC CXX LD AR MAKEFLAGS MAKEFILES GCONV_PATH ' +
    'TAR_OPTIONS RIPGREP_CONFIG_PATH OPENSSL_CONF XDG_CONFIG_HOME RUSTFLAGS TMPDIR CAISSON_HOME'
  ).split(' '),
)
const HOOK_PREFIXES = [
  ...['LD_', 'DYLD_', 'GIT_', 'PYTHON', 'NPM_CONFIG_', 'CARGO_', 'RUSTC', 'DOCKER_', 'AWS_'],
  ...['KUBE', 'SSL_CERT'],
]
const HARMLESS: ReadonlySet<string> = new Set(['GIT_TERMINAL_PROMPT', 'GIT_OPTIONAL_LOCKS'])
const HARMLESS_PREFIXES = ['GIT_AUTHOR_', 'GIT_COMMITTER_']
const SECRET_PIECES = ['TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'APIKEY', 'CREDENTIAL']

/** Whether setting a variable makes programs load or run something, or look elsewhere. */
export function isHookVariable(name: string): boolean {
  const bare = name.replace(/\[.*$/, '')
  const upper = bare.toUpperCase()
  if (HARMLESS.has(bare) || HARMLESS_PREFIXES.some((prefix) => bare.startsWith(prefix)))
    return false
  if (HOOKS.has(bare) || upper.endsWith('_PROXY')) return true
  // npm reads its settings in both cases.
  return HOOK_PREFIXES.some((prefix) => bare.startsWith(prefix)) || upper.startsWith('NPM_CONFIG_')
}

/** Whether a variable holds a credential by its name. */
export function isSecretVariable(name: string): boolean {
  const upper = name.toUpperCase()
  if (SECRET_PIECES.some((piece) => upper.includes(piece))) return true
  // Lower-case names of one word are a script's own variables.
  return name.split('_').some((piece) => piece === 'AUTH' || piece === 'KEY')
}
