import type { BundleModule } from './bundle-factory.ts'
import { ACCEPTED, describeExports } from './describe-exports.ts'
import { findDefinitions } from './find-definitions.ts'
import { createPiServices } from './formats/pi.ts'
import { toPlainDefinition } from './formats/plain.ts'
import { toManifestRow, type ManifestRow } from './manifest-row.ts'
import { createPluginScope, type PluginScope } from './plugin-scope.ts'
import { isClass, toPluginShape, type PluginShape } from './plugin/plugin-shape.ts'
import { createToolCollector, type ToolCollector } from './plugin/tool-registry.ts'

/** A definition as found in a module, before anything about it has been checked. */
export type FoundTool = Record<string, unknown>

/** The definitions of one source, by name, alive where the tool runs. */
export interface Toolbox {
  format(): string
  find(name: string): FoundTool | undefined
  /** One row per definition, in order of registration; plain data. */
  describe(): ManifestRow[]
}

/**
 * Runs what a module exports until its tools are known. Tools registered afterwards, from timers or
 * promises the module left behind, join until the first call. Throws what the author's code throws.
 */
export async function createToolbox(module: BundleModule, config: unknown): Promise<Toolbox> {
  const collector = createToolCollector()
  const collected = await collect(module, config, collector)
  const { scope } = collected
  let index: Map<unknown, FoundTool> | undefined
  return {
    format: () => collected.format(),
    find(name) {
      index ??= indexByName(collector.list())
      return index.get(name)
    },
    describe() {
      const [failure] = scope?.failures() ?? []
      if (failure !== undefined) throw failure
      const definitions = collector.list()
      if (definitions.length === 0) throw new Error(describeEmptiness(module.exports, scope))
      return definitions.map(toManifestRow)
    },
  }
}

function describeEmptiness(exports: unknown, scope: PluginScope | undefined): string {
  if (scope === undefined) return describeExports(exports)
  const waiting = scope.waiting()
  if (waiting.length > 0) {
    return `the plugin registered no tool; it waits for ${waiting.join(', ')}`
  }
  const isPlain = typeof unwrapDefault(exports) === 'function' && !isPluginMeta(exports)
  if (!isPlain) return 'the plugin registered no tool'
  return `its default function was run as a plugin and registered no tool; ${ACCEPTED}`
}

interface Collected {
  /** Asked late: a plugin may register after its start. */
  format(): string
  readonly scope?: PluginScope
}

async function collect(
  module: BundleModule,
  config: unknown,
  collector: ToolCollector,
): Promise<Collected> {
  const { exports } = module
  const file = typeof module.file === 'string' ? module.file : 'default'
  const add = (definitions: readonly unknown[]): void => {
    for (const definition of definitions) collector.register(definition)
  }
  const plugin = findPlugin(exports, file)
  if (plugin === undefined) {
    const found = findDefinitions(exports, file)
    add(found.definitions)
    return { format: () => found.format }
  }
  const plain = findPlain(exports, file)
  if (plain !== undefined) {
    add([plain])
    return { format: () => 'plain' }
  }
  const pi = createPiServices((definition) => collector.register(definition))
  const scope = createPluginScope(collector, pi.services)
  const result = await scope.run(plugin, config)
  // A function that is called like a plugin may hand its definitions back instead.
  const returned = findDefinitions(result, file)
  add(returned.definitions)
  const isReturned = returned.definitions.length > 0
  const registered = (): string => (pi.used() ? 'pi' : 'dsh-plugin')
  return { format: isReturned ? () => returned.format : registered, scope }
}

/** The tool a default function is that has a schema beside it. */
function findPlain(exports: unknown, file: string): object | undefined {
  const root = unwrapDefault(exports)
  if (isClass(root) || isPluginMeta(exports) || isPluginMeta(root)) return undefined
  return toPlainDefinition(root, exports, file)
}

/** The plugin a module is, if it is one: what the DSH loader accepts, and a named `apply`. */
function findPlugin(exports: unknown, file: string): PluginShape | undefined {
  const root = unwrapDefault(exports)
  if (typeof root === 'function') {
    const isPlugin = isClass(root) || isPluginMeta(exports) || isPluginMeta(root)
    // A helper function that happens to be the default export of a module of definitions.
    if (!isPlugin && findDefinitions(exports, file).definitions.length > 0) return undefined
    return toPluginShape(root, exports)
  }
  for (const candidate of [root, exports]) {
    if (typeof Reflect.get(Object(candidate), 'apply') === 'function') {
      return toPluginShape(candidate, exports)
    }
  }
  return undefined
}

function isPluginMeta(exports: unknown): boolean {
  return ['inject', 'Config'].some((key) => key in Object(exports))
}

// CommonJS that was compiled from a module has its default export one level down.
function unwrapDefault(exports: unknown): unknown {
  let value = exports
  for (let depth = 0; depth < 3; depth += 1) {
    if (typeof value !== 'object' || value === null || !('default' in value)) return value
    value = value.default
  }
  return value
}

function indexByName(definitions: readonly unknown[]): Map<unknown, FoundTool> {
  const index = new Map<unknown, FoundTool>()
  for (const definition of definitions) {
    const tool = Object(definition) as FoundTool
    if (!index.has(tool['name'])) index.set(tool['name'], tool)
  }
  return index
}
