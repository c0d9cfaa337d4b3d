import type { CallTable } from './seccomp-calls.ts'

/** One instruction of the kernel's classic packet filter: code, two jumps forward, a constant. */
type Instruction = readonly [code: number, then: number, otherwise: number, k: number]

/** Something an argument must be for a rule to bite; only its low 32 bits count. */
interface Condition {
  readonly arg: number
  readonly test: 'equals' | 'differs' | 'hasAny'
  readonly value: number
}

/** Refuses `call` when all conditions of one of `cases` hold. */
interface Rule {
  readonly call: number
  readonly cases: readonly (readonly Condition[])[]
}

const LOAD = 0x20
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const ERRNO = 0x00050000
const EPERM = 1
const ENOSYS = 38

const NUMBER_AT = 0
const ARCH_AT = 4
const ARGS_AT = 16
const ARG_BYTES = 8
const INSTRUCTION_BYTES = 8
const X32_BIT = 0x40000000

// Namespaces: mount, cgroup, uts, ipc, user, pid, net.
const CLONE_NEW = 0x7e020000
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const AF_UNIX = 1
const AF_INET = 2
// A stream is 1, and all other types have one of these bits, whatever flags come with it; so have all
// protocols but TCP, by which a stream may call itself.
const OTHER_TYPES = 0xe
const OTHER_PROTOCOLS = 0xfffffff9
const SET_ID_BITS = 0o6000
// O_CREAT and O_TMPFILE: without them the mode is whatever lay in its register.
const CREATES = 0o20000100

/** Which sockets a program may make, besides local pairs. */
type Sockets = 'none' | 'tcp'

/**
 * A filter for `bwrap --seccomp`: what reaches other processes, the kernel's configuration or a
 * network is refused, the rest passes. Calls of another machine's convention kill the process.
 */
export function compileSeccomp(table: CallTable, sockets: Sockets = 'none'): Buffer {
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCH_AT],
    [IF_EQUAL, 1, 0, table.arch],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_AT],
    ...(table.hasX32 ? refuseIf(IF_AT_LEAST, X32_BIT, EPERM) : []),
    ...table.refused.flatMap((call) => refuseIf(IF_EQUAL, call, EPERM)),
    ...table.unknown.flatMap((call) => refuseIf(IF_EQUAL, call, ENOSYS)),
    ...(sockets === 'none' ? refuseIf(IF_EQUAL, table.socket, EPERM) : []),
    ...toRules(table).flatMap(compileRule),
    [RETURN, 0, 0, ALLOW],
  ]
  return assemble(program)
}

function toRules(table: CallTable): Rule[] {
  const setsId = (arg: number): Condition => ({ arg, test: 'hasAny', value: SET_ID_BITS })
  return [
    { call: table.clone, cases: [[{ arg: 0, test: 'hasAny', value: CLONE_NEW }]] },
    {
      call: table.ioctl,
      cases: [TIOCSTI, TIOCLINUX].map((value) => [{ arg: 1, test: 'equals', value }]),
    },
    {
      call: table.socket,
      cases: [
        [{ arg: 0, test: 'differs', value: AF_INET }],
        [{ arg: 1, test: 'hasAny', value: OTHER_TYPES }],
        [{ arg: 2, test: 'hasAny', value: OTHER_PROTOCOLS }],
      ],
    },
    { call: table.socketpair, cases: [[{ arg: 0, test: 'differs', value: AF_UNIX }]] },
    ...table.setMode.map(([call, mode]) => ({ call, cases: [[setsId(mode)]] })),
    ...table.open.map(([call, flags, mode]) => ({
      call,
      cases: [[{ arg: flags, test: 'hasAny' as const, value: CREATES }, setsId(mode)]],
    })),
  ]
}

function refuseIf(code: number, k: number, errno: number): Instruction[] {
  return [
    [code, 0, 1, k],
    [RETURN, 0, 0, ERRNO | errno],
  ]
}

function compileRule({ call, cases }: Rule): Instruction[] {
  const body: Instruction[] = [...cases.flatMap(compileCase), [RETURN, 0, 0, ALLOW]]
  return [[IF_EQUAL, 0, body.length, call], ...body]
}

function compileCase(conditions: readonly Condition[]): Instruction[] {
  const code: Instruction[] = [[RETURN, 0, 0, ERRNO | EPERM]]
  for (const { arg, test, value } of conditions.toReversed()) {
    const rest = code.length
    const jumps: readonly [number, number] = test === 'differs' ? [rest, 0] : [0, rest]
    code.unshift(
      [LOAD, 0, 0, ARGS_AT + arg * ARG_BYTES],
      [test === 'hasAny' ? IF_ANY_BIT : IF_EQUAL, ...jumps, value],
    )
  }
  return code
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES)
  for (const [index, [code, then, otherwise, k]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(then, at + 2)
    bytes.writeUInt8(otherwise, at + 3)
    bytes.writeUInt32LE(k, at + 4)
  }
  return bytes
}
