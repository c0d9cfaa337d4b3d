import { describe, expect, test } from 'vitest'
import { compileSeccomp } from '../../src/sandbox/seccomp.ts'
import { findCallTable, type CallTable } from '../../src/sandbox/seccomp-calls.ts'

const ALLOW = 0x7fff0000
const EPERM = 0x00050001
const ENOSYS = 0x00050026
const KILL = 0x80000000

/** What a call with these arguments comes out as; the kernel's interpreter, in ten lines. */
function judge(program: Buffer, arch: number, call: number, args: readonly number[]): number {
  const data = new Map([
    [0, call],
    [4, arch],
    ...args.map((value, index) => [16 + 8 * index, value >>> 0] as const),
  ])
  let loaded = 0
  for (let at = 0; ; at += 1) {
    const [code, then, otherwise] = [
      program.readUInt16LE(8 * at),
      program.readUInt8(8 * at + 2),
      program.readUInt8(8 * at + 3),
    ]
    const k = program.readUInt32LE(8 * at + 4)
    if (code === 0x06) return k
    if (code === 0x20) loaded = data.get(k) ?? 0
    else if (code === 0x15) at += loaded === k ? then : otherwise
    else if (code === 0x35) at += loaded >= k ? then : otherwise
    else if (code === 0x45) at += (loaded & k) !== 0 ? then : otherwise
    else throw new Error(`unknown instruction ${code}`)
  }
}

describe.each(['x64', 'arm64'])('compileSeccomp() for %s', (arch) => {
  const table = findCallTable(arch) as CallTable
  const program = compileSeccomp(table)
  const of = (call: number, ...args: number[]): number => judge(program, table.arch, call, args)

  test('refuses every call of the list, whatever its arguments', () => {
    for (const call of table.refused) expect(of(call, 1, 2, 3)).toBe(EPERM)
    for (const call of table.unknown) expect(of(call, 1, 2, 3)).toBe(ENOSYS)
  })

  test('lets read and write pass, and numbers it does not know', () => {
    for (const call of arch === 'x64' ? [0, 1, 60, 231] : [63, 64, 93, 94]) {
      expect(of(call)).toBe(ALLOW)
    }
    expect(of(999)).toBe(ALLOW)
  })

  test('ends a process that speaks the convention of another machine', () => {
    const other = findCallTable(arch === 'x64' ? 'arm64' : 'x64') as CallTable
    expect(judge(program, other.arch, 1, [])).toBe(KILL)
    expect(judge(program, 0x40000003, 1, [])).toBe(KILL)
  })

  test('forks and threads pass, new namespaces do not', () => {
    const thread = 0x3d0f00
    expect(of(table.clone, 17)).toBe(ALLOW)
    expect(of(table.clone, thread)).toBe(ALLOW)
    for (const bit of [17, 25, 26, 27, 28, 29, 30])
      expect(of(table.clone, (2 ** bit) | 17)).toBe(EPERM)
  })

  test('a terminal cannot be typed into', () => {
    expect(of(table.ioctl, 0, 0x5412)).toBe(EPERM)
    expect(of(table.ioctl, 0, 0x541c)).toBe(EPERM)
    expect(of(table.ioctl, 0, 0x5413)).toBe(ALLOW)
  })

  test('no socket passes, whatever it is', () => {
    for (const args of [
      [2, 1, 0],
      [2, 1, 6],
      [1, 1, 0],
      [10, 1, 0],
      [16, 3, 0],
    ])
      expect(of(table.socket, ...args)).toBe(EPERM)
  })

  test('with a door TCP sockets pass, others do not', () => {
    const filter = compileSeccomp(table, 'tcp')
    const withDoor = (...args: number[]): number => judge(filter, table.arch, table.socket, args)
    const [closeOnExec, noWait] = [0o2000000, 0o4000]
    for (const args of [
      [2, 1, 0],
      [2, 1, 6],
      [2, 1 | closeOnExec | noWait, 0],
    ])
      expect(withDoor(...args)).toBe(ALLOW)
    for (const family of [1, 10, 16, 17, 38, 40]) expect(withDoor(family, 1, 0)).toBe(EPERM)
    for (const type of [2, 3, 4, 5, 6, 10]) {
      expect(withDoor(2, type, 0)).toBe(EPERM)
      expect(withDoor(2, type | closeOnExec, 0)).toBe(EPERM)
    }
    for (const protocol of [1, 17, 132, 255, 262]) expect(withDoor(2, 1, protocol)).toBe(EPERM)
    expect(judge(filter, table.arch, table.socketpair, [2])).toBe(EPERM)
  })

  test('pairs of local sockets pass, others do not', () => {
    expect(of(table.socketpair, 1)).toBe(ALLOW)
    for (const family of [2, 10, 16, 17, 40]) expect(of(table.socketpair, family)).toBe(EPERM)
  })

  test('no file gets a set-id bit, on its way or afterwards', () => {
    const args = (places: Record<number, number>): number[] =>
      [0, 1, 2, 3].map((index) => places[index] ?? 0)
    for (const [call, mode] of table.setMode) {
      expect(of(call, ...args({ [mode]: 0o755 }))).toBe(ALLOW)
      expect(of(call, ...args({ [mode]: 0o4755 }))).toBe(EPERM)
      expect(of(call, ...args({ [mode]: 0o2755 }))).toBe(EPERM)
    }
    for (const [call, flags, mode] of table.open) {
      expect(of(call, ...args({ [flags]: 0o101, [mode]: 0o4755 }))).toBe(EPERM)
      expect(of(call, ...args({ [flags]: 0o101, [mode]: 0o755 }))).toBe(ALLOW)
      // Nothing is created: the mode is left over in its register.
      expect(of(call, ...args({ [flags]: 0, [mode]: 0o4755 }))).toBe(ALLOW)
    }
  })
})

test('a machine nobody has written a table for has none', () => {
  expect(findCallTable('riscv64')).toBeUndefined()
})

test('calls of the x32 convention are refused where there is one', () => {
  const table = findCallTable('x64') as CallTable
  expect(judge(compileSeccomp(table), table.arch, 0x40000000 + 1, [])).toBe(EPERM)
})
