import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Tool } from '@modelcontextprotocol/client'
import { CaissonError } from '../errors/caisson-error.ts'
import { toCanonicalJson } from '../policies/canonical-json.ts'
import type { JsonValue } from '../types/json.ts'

/** Which tools of which servers were seen, and what they said of themselves then. */
export interface Pins {
  /** By tool, the hash that was seen first, or approved since. */
  of(server: string): ReadonlyMap<string, string>
  add(server: string, hashes: ReadonlyMap<string, string>): void
  /** What is offered next is taken as it is. */
  forget(server: string): void
  /** Names of servers that are pinned. */
  servers(): string[]
}

/** Hashes by owner and part, in a file that its user alone can read. */
export interface PinStore {
  /** Undefined for an owner nobody has pinned. */
  get(owner: string): Readonly<Record<string, string>> | undefined
  /** Adds parts to those of an owner. Throws what the file system throws. */
  add(owner: string, parts: Readonly<Record<string, string>>): void
  /** Throws what the file system throws. */
  put(owner: string, parts: Readonly<Record<string, string>>): void
  remove(owner: string): void
  owners(): string[]
}

const schema = z.record(z.string(), z.record(z.string(), z.string()))

/** Opens a store. Everything throws `CONFIG_INVALID` for a file that is there and no store: it pins nothing silently. */
export function openPinStore(path: string): PinStore {
  const read = (): Record<string, Record<string, string>> => {
    try {
      return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'ENOENT') return {}
      const text = `${path} cannot be read as approvals; restore it, or remove it and approve anew`
      throw new CaissonError('CONFIG_INVALID', text)
    }
  }
  const write = (change: (pins: Record<string, Record<string, string>>) => void): void => {
    const pins = read()
    change(pins)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${process.pid}.tmp`
    writeFileSync(temporary, `${JSON.stringify(pins, undefined, 2)}\n`, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, path)
  }
  return {
    get: (owner) => own(read(), owner),
    add: (owner, parts) => write((pins) => (pins[owner] = { ...own(pins, owner), ...parts })),
    put: (owner, parts) => write((pins) => (pins[owner] = { ...parts })),
    remove: (owner) => write((pins) => delete pins[owner]),
    owners: () => Object.keys(read()),
  }
}

/** Opens the pins of a state folder. */
export function openPins(folder: string): Pins {
  const store = openPinStore(join(folder, 'mcp-pins.json'))
  return {
    of: (server) => new Map(Object.entries(store.get(server) ?? {})),
    add: (server, hashes) => store.add(server, Object.fromEntries(hashes)),
    forget: store.remove,
    servers: store.owners,
  }
}

/** A hash of everything a model is told of a tool. */
export function hashTool({ description, inputSchema, outputSchema, annotations }: Tool): string {
  const told = { description, inputSchema, outputSchema, annotations }
  const plain = JSON.parse(JSON.stringify(told)) as JsonValue
  return createHash('sha256').update(toCanonicalJson(plain)).digest('hex')
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
