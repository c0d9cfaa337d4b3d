import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { describeConfined } from '../helpers/confined.ts'
import { runIn, shell } from '../helpers/run-confined.ts'
import { valueOf } from './attack.ts'
import { openProgramArena } from './program-arena.ts'

/** Calls with harmless arguments, by their numbers on each machine; the program prints each errno. */
const NUMBERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    unshare: 272,
    mount: 165,
    bpf: 321,
    keyctl: 250,
    userfaultfd: 323,
    io_uring_setup: 425,
    perf_event_open: 298,
    ptrace: 101,
    personality: 135,
    kexec_load: 246,
    settimeofday: 164,
    setns: 308,
    process_vm_readv: 310,
    clone3: 435,
    openat2: 437,
  },
  arm64: {
    unshare: 97,
    mount: 40,
    bpf: 280,
    keyctl: 219,
    userfaultfd: 282,
    io_uring_setup: 425,
    perf_event_open: 241,
    ptrace: 117,
    personality: 92,
    kexec_load: 104,
    settimeofday: 170,
    setns: 268,
    process_vm_readv: 270,
    clone3: 435,
    openat2: 437,
  },
}
const numbers = NUMBERS[process.arch] ?? {}
const CALLS = Object.entries(numbers)
  .map(([name, n]) => `syscall(${n}, 0, 0, 0, 0, 0, 0); print "${name} ".($!+0)."\\n";`)
  .join(' ')

describeConfined('a program and what is around it', () => {
  const arena = openProgramArena()

  test('ATK-105 system calls that reach out of a sandbox are refused as listed', async () => {
    const { stdout, stderr } = await runIn(['perl', '-e', CALLS])
    expect(stderr).toBe('')
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    expect(answers.length).toBeGreaterThan(10)
    for (const [name, errno] of answers) {
      expect([name, errno]).toEqual([name, name === 'clone3' || name === 'openat2' ? '38' : '1'])
    }
  })

  test('ATK-104 there is no terminal, and none can be typed into', async () => {
    const script = `
      (exec 3</dev/tty) 2>/dev/null && echo "opened a terminal"
      for fd in 0 1 2; do [ -t $fd ] && echo "$fd is a terminal"; done
      perl -e 'for my $fd (0, 1, 2) { open(my $f, "+<&=", $fd); for my $r (0x5412, 0x541c) { my $x = "x"; print defined(ioctl($f, $r, $x)) ? "typed\\n" : "errno ".($!+0)."\\n" } }'`
    const { stdout } = await runIn(shell(script))
    expect(stdout).toBe('errno 1\n'.repeat(6))
  })

  test('ATK-084 BUG-33 no socket but a local pair is to be had, and no network is there', async () => {
    const server = createServer(() => connections.push(1)).listen(0, '0.0.0.0')
    const connections: number[] = []
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const lan = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .map(({ address }) => address)
    const script = `
      use Socket;
      for my $f ([AF_INET, SOCK_STREAM, "tcp"], [AF_INET, SOCK_DGRAM, "udp"], [AF_INET, SOCK_RAW, "icmp"], [AF_INET6, SOCK_STREAM, "tcp6"], [AF_UNIX, SOCK_STREAM, "unix"], [40, SOCK_STREAM, "vsock"], [16, SOCK_RAW, "netlink"], [17, SOCK_RAW, "packet"], [38, SOCK_STREAM, "alg"]) {
        print socket(my $s, $f->[0], $f->[1], 0) ? "got $f->[2]\\n" : "errno ".($!+0)."\\n" }
      print socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) ? "pair\\n" : "no pair\\n";`
    const { stdout } = await runIn(['perl', '-e', script])
    expect(stdout).toBe(`${'errno 1\n'.repeat(9)}pair\n`)
    const body = `
      const net = await import('node:net')
      const dgram = await import('node:dgram')
      const dns = await import('node:dns/promises')
      const dial = (options) => new Promise((resolve) => {
        const socket = net.connect(options, () => resolve('connected'))
        socket.on('error', (error) => resolve(error.code))
      })
      const hosts = ${JSON.stringify(['127.0.0.1', '::1', 'localhost', '0.0.0.0', ...lan])}
      const found = {}
      for (const host of hosts) found[host] = await dial({ host, port: ${port} })
      for (const path of ['/var/run/docker.sock', '/run/dbus/system_bus_socket', '\\0abstract']) found[path] = await dial({ path })
      found.listen = await new Promise((resolve) => net.createServer().listen(0, () => resolve('listens')).on('error', (error) => resolve(error.code)))
      found.udp = await new Promise((resolve) => { try { dgram.createSocket('udp4').on('error', (error) => resolve(error.code)).bind(0, () => resolve('bound')) } catch (error) { resolve(error.code) } })
      found.dns = await dns.resolve('example.com').then(() => 'resolved', (error) => error.code)
      found.fetch = await fetch('http://127.0.0.1:${port}').then(() => 'fetched', (error) => error.code)
      return found`
    const found = valueOf(await arena.attack({ body, timeoutMs: 15_000 })) as Record<string, string>
    server.close()
    expect(connections).toEqual([])
    for (const [what, code] of Object.entries(found)) {
      expect(`${what} ${code}`).toMatch(/ (E[A-Z]+|CAPABILITY_DENIED)$/)
    }
    const { stdout: links } = await runIn(shell('tail -n +3 /proc/net/dev | grep -cv lo:; exit 0'))
    expect(links.trim()).toBe('0')
  })

  test('ATK-102 nothing in the arguments lets a program out', async () => {
    const script = 'hostname; cat /proc/self/status | grep Seccomp:'
    const asks = { confinement: 'none', sandbox: false, unsafe: true, profile: 'trusted' }
    const closed = { type: 'object', properties: {}, additionalProperties: false }
    const refused = await arena.run({
      command: ['sh', '-c', script],
      manifest: { parameters: closed },
      args: asks,
    })
    expect(refused.result).toMatchObject({ error: { code: 'INVALID_ARGS' } })
    const ignored = await arena.run({ command: ['sh', '-c', script], args: asks })
    expect(valueOf(ignored)).toBe('caisson\nSeccomp:\t2\n')
    expect(ignored.result).not.toHaveProperty('confinement')
  })

  test('ATK-102 nor does anything in a manifest', async () => {
    for (const extra of [
      { confinement: 'none' },
      { profile: 'trusted' },
      { env: { LD_PRELOAD: 'x' } },
    ]) {
      await expect(arena.run({ command: ['true'], manifest: extra })).rejects.toMatchObject({
        code: 'LOAD_FAILED',
      })
    }
  })

  test('ATK-099 arguments reach the program as they are, one entry each', async () => {
    const nasty = [
      '-rf',
      '--upload-pack=touch x',
      ';id',
      '$(id)',
      '`id`',
      'a\nb',
      '',
      ' ',
      '*',
      '{{other}}',
      "'",
      '"',
      '\\',
      'ü😀',
    ]
    const script = 'printf "%s\\0" "$@"'
    for (const value of nasty) {
      const attacked = await arena.run({
        command: ['sh', '-c', script, 'sh', 'first', '{{value}}', '--flag={{value}}', 'last'],
        manifest: { parameters: { type: 'object', properties: { value: { type: 'string' } } } },
        args: { value },
      })
      expect(String(valueOf(attacked)).split('\0')).toEqual([
        'first',
        value,
        `--flag=${value}`,
        'last',
        '',
      ])
    }
  })

  test.each([
    ['eval', 'touch /tmp/x; echo ran'],
    ['.', '/dev/stdin'],
    ['exit', '0'],
    ['trap', 'echo ran', 'EXIT'],
    ['-c', 'echo ran'],
    ['-a', 'name', 'sh', '-c', 'echo ran'],
    ['--', 'sh', '-c', 'echo ran'],
    ['FOO=bar', 'env'],
    ['', 'x'],
  ])('ATK-099 a word of the shell is no program: %j', async (...command) => {
    const { result } = await arena.run({ command })
    expect(result).toMatchObject({ isError: true, error: { code: 'TOOL_ERROR' } })
    expect([126, 127]).toContain((result as { error: { exitCode?: unknown } }).error.exitCode)
    expect(result.isError ? result.error.message : '').not.toContain('ran')
  })

  test('ATK-099 what a program is given is not read by a shell that has it too', async () => {
    const attacked = await arena.run({ command: ['echo', 'a\\nb', '-e', '\\c'] })
    expect(valueOf(attacked)).toBe('a\\nb -e \\c\n')
  })

  test('ATK-099 what no program can be given is refused before one is started', async () => {
    for (const value of ['a\0b', 'x'.repeat(200_000), '\ud800']) {
      const { result } = await arena.run({
        command: ['printf', '%s', '{{value}}'],
        manifest: { parameters: { type: 'object', properties: { value: { type: 'string' } } } },
        args: { value },
      })
      expect(result).toMatchObject({
        isError: true,
        error: { code: 'INVALID_ARGS', started: false },
      })
      expect(result.attempts).toMatchObject([{ started: false }])
    }
  })
})
