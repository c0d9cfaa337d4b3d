import { existsSync } from 'node:fs'
import { CaissonError } from '../errors/caisson-error.ts'
import { compileSeccomp } from './seccomp.ts'
import { findCallTable } from './seccomp-calls.ts'

/**
 * A socket that listens in the network of a sandbox, where nobody else is, and that the host accepts
 * connections from. It is opened before the program starts.
 */
export interface Door {
  /** On 127.0.0.1. */
  readonly port: number
  /** Absolute path of Node inside the sandbox. */
  readonly node: string
}

/** Of the shells that are found everywhere it is the one that closes descriptors beyond 9. */
const SHELL = '/bin/bash'
const FAILED = 125
/** Connections that wait to be accepted; the kernel lets them in without asking the host. */
const BACKLOG = 64

/** What a sandbox with a door is made with. Throws `SANDBOX_UNAVAILABLE` where it cannot be. */
export function resolveDoorTools(): { readonly seccomp: Uint8Array; readonly shell: string } {
  const table = findCallTable(process.arch)
  if (table !== undefined && existsSync(SHELL)) {
    return { seccomp: compileSeccomp(table, 'tcp'), shell: SHELL }
  }
  const reason = `${SHELL} is missing, which a program with a brokered network needs`
  const hint = "install bash, or set process.network to 'none'"
  throw new CaissonError('SANDBOX_UNAVAILABLE', `no sandbox: ${reason}; ${hint}`, { reason, hint })
}

/**
 * Lines for the script that a sandbox begins with: open the door, hand it to the host over the channel
 * on `fd`, and forget about both. What runs here is ours; the program has not started yet.
 */
export function toDoorScript({ node, port }: Door, fd: number): string[] {
  const code = `process.on("disconnect", () => process.exit());
    const door = require("node:net").createServer();
    door.listen({ port: ${port}, host: "127.0.0.1", backlog: ${BACKLOG} }, () => process.send("", door))`.replaceAll(
    /\n\s*/g,
    ' ',
  )
  return [
    `NODE_CHANNEL_FD=${fd} ${node} --v8-pool-size=0 -e '${code}' >/dev/null || exit ${FAILED}`,
    `exec ${fd}>&-`,
    'unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE',
  ]
}
