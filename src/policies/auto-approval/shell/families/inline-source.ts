import { judgeLook } from '../../paths/judge.ts'
import { toPlace } from '../../paths/place.ts'
import { isSecretVariable } from '../environment.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isDynamic, knownText } from '../shell-word.ts'

const DELETERS: ReadonlySet<string> = new Set(
  (
    'unlink unlinkSync rmSync rmdir rmdirSync rmtree removedirs rimraf rm_rf rm_r remove_dir_all ' +
    'remove_entry_secure deleteFile rmdir_all remove_tree'
  ).split(' '),
)
const RUNNERS: ReadonlySet<string> = new Set(
  (
    'child_process execute execSync execFile execFileSync exec spawn spawnSync fork popen popen2 popen3 Popen system ' +
    'subprocess shell_exec passthru proc_open pcntl_exec socket Socket sockets createConnection connect fetch ' +
    'urllib urllib2 urllib3 requests httpx aiohttp http https net tls dgram TCPSocket LWP IO::Socket eval ' +
    'Function compile __import__ importlib execv execve execvp execl execlp startfile pty qx curl_exec ' +
    'file_get_contents fsockopen getline do_shell_script doShellScript loadstring dofile vm WebSocket ' +
    'XMLHttpRequest backticks open3 Runtime getRuntime ctypes ffi dlopen Command run_command runInNewContext ' +
    'runInThisContext createRequire b64decode atob decode64 unhexlify base64 osascript shell'
  ).split(' '),
)
const DUMPS = [
  'process.env',
  'os.environ',
  'ENVIRON',
  'getenv',
  'Deno.env',
  'Bun.env',
  '%ENV',
  '$ENV',
  '$_ENV',
  'ENV.to_h',
  'os.getenv',
]
const MAX_SCAN = 64 * 1024

/** Looks at the words of program text that nobody parses; it can raise an ask, never deny. */
export function scanSource(word: ShellWord, segment: Segment): void {
  const text = knownText(word).slice(0, MAX_SCAN)
  if (isDynamic(word)) segment.add('HIDDEN_SOURCE')
  if (DUMPS.some((name) => text.includes(name))) segment.add('ENV_DUMP')
  const identifiers = text.split(/[^\w:]+/)
  if (identifiers.some((name) => DELETERS.has(name))) segment.add('DELETE')
  if (
    /\b(?:os|File|FileUtils|fs|shutil|Path)\s*\.\s*(?:remove|delete|rm|rmtree|unlink)\b/.test(text)
  )
    segment.add('DELETE')
  if (identifiers.some((name) => RUNNERS.has(name)) || /`|\|\s*["']|["']\s*\|/.test(text))
    segment.add('HIDDEN_SOURCE')
  if (identifiers.some((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && isSecretVariable(name)))
    segment.add('SECRET_VAR')
  if (tokens(text).some((token) => namesSecretPlace(token, segment))) segment.add('SECRET_READ')
}

function tokens(text: string): readonly string[] {
  return text.split(/[^\w./~*?@+-]+/).filter((token) => token !== '')
}

function namesSecretPlace(token: string, { context }: Segment): boolean {
  const { ground } = context.line
  const path = token.replace(/^\/{2,}/, '/')
  if (!/[./~]/.test(path) && !path.startsWith('id_')) return false
  return context.place.folders.paths.slice(0, 1).some((folder) => {
    const place = toPlace([path], { folder, home: ground.home })
    if (place?.literal === undefined) return false
    const look = { ...place, literal: true }
    const codes = judgeLook(look, 'read', ground)
    return codes.some((code) => SECRET_CODES.has(code))
  })
}

const SECRET_CODES: ReadonlySet<string> = new Set([
  'SECRET_READ',
  'CREDENTIAL_STORE',
  'STATE_DIR',
  'MAGIC_PATH',
])
