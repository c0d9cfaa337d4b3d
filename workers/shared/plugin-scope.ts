import { createContext, createSystemPrompt, type ContextParts } from './plugin-context.ts'
import { collectEffects } from './plugin/effect.ts'
import { createEvents } from './plugin/events.ts'
import { describeMissingService, requiredServices } from './plugin/host-services.ts'
import { createLogger } from './plugin/logger.ts'
import { applyConfig } from './plugin/plugin-config.ts'
import { toPluginShape, type PluginShape } from './plugin/plugin-shape.ts'
import { createToolsService, type ToolCollector } from './plugin/tool-registry.ts'

/** All plugins of one source. */
export interface PluginScope {
  /**
   * Runs a plugin with everything it starts to the end of its start. Throws what the author threw,
   * and an error naming every service the plugin needs and does not get.
   */
  run(plugin: PluginShape, config: unknown): Promise<unknown>
  /** The missing services that nested plugins wait for. */
  waiting(): string[]
  /** What nested plugins threw that nobody waited for. */
  failures(): readonly unknown[]
}

/** One started plugin. Awaiting it waits for its start and rejects with what that threw. */
interface Fiber extends PromiseLike<unknown> {
  readonly name: string
  readonly ctx: unknown
  dispose(): Promise<void>
}

interface Scope extends ContextParts {
  /** Nested plugins that wait for a service nobody has provided yet. */
  readonly waiting: Set<{ readonly plugin: PluginShape; start(): void }>
  readonly running: Set<Promise<void>>
  readonly failures: unknown[]
}

/**
 * Creates the plugins' world of one source; what they register goes to `collector`. `more` are services
 * besides those of the DSH host.
 */
export function createPluginScope(
  collector: ToolCollector,
  more: readonly (readonly [string, unknown])[] = [],
): PluginScope {
  const scope: Scope = {
    services: new Map<string, unknown>([
      ['tools', createToolsService(collector)],
      ['systemPrompt', createSystemPrompt()],
      ['logger', createLogger()],
      ...more,
    ]),
    events: createEvents(),
    waiting: new Set(),
    running: new Set(),
    failures: [],
    plugin: (candidate, config) => startNested(scope, candidate, config),
    provide(name, value) {
      scope.services.set(name, value)
      startWaiting(scope)
      return () => scope.services.get(name) === value && scope.services.delete(name)
    },
  }
  return {
    run: (plugin, config) => runRoot(scope, plugin, config),
    waiting() {
      const missing = [...scope.waiting].flatMap(({ plugin }) => missingServices(scope, plugin))
      return [...new Set(missing)].map(describeMissingService)
    },
    failures: () => scope.failures,
  }
}

async function runRoot(scope: Scope, plugin: PluginShape, config: unknown): Promise<unknown> {
  const missing = missingServices(scope, plugin)
  if (missing.length > 0) {
    const list = missing.map(describeMissingService).join(', ')
    throw new Error(`plugin "${plugin.name}" needs services that are not offered: ${list}`)
  }
  const result = await startPlugin(scope, plugin, config)
  await settle(scope)
  scope.events.emit('ready')
  await settle(scope)
  return result
}

async function startPlugin(scope: Scope, plugin: PluginShape, config: unknown): Promise<unknown> {
  const ctx = createContext(scope, plugin.name)
  const result = await plugin.start(ctx, await applyConfig(plugin.config, config))
  await collectEffects(result).done
  return result
}

/** Waits until no nested plugin is starting; each may start more. Throws the first failure. */
async function settle(scope: Scope): Promise<void> {
  while (scope.running.size > 0) await Promise.all(scope.running)
  if (scope.failures.length > 0) throw scope.failures[0]
}

function missingServices(scope: Scope, plugin: PluginShape): string[] {
  return requiredServices(plugin.inject).filter((name) => !scope.services.has(name))
}

function startNested(scope: Scope, candidate: unknown, config: unknown): Fiber {
  const plugin = toPluginShape(candidate)
  if (plugin === undefined) {
    throw new TypeError(`invalid plugin, expected a function or an object with "apply"`)
  }
  const started = Promise.withResolvers<unknown>()
  let awaited = false
  const start = (): void => {
    // Never within the call that starts it: authors count on their own code running on first.
    const running = Promise.resolve()
      .then(() => startPlugin(scope, plugin, config))
      .then(started.resolve, (error: unknown) => {
        if (!awaited) scope.failures.push(error)
        started.reject(error)
      })
      .finally(() => scope.running.delete(running))
    scope.running.add(running)
  }
  started.promise.catch(() => undefined)
  scope.waiting.add({ plugin, start })
  startWaiting(scope)
  return {
    name: plugin.name,
    ctx: createContext(scope, plugin.name),
    dispose: () => Promise.resolve(),
    then(fulfilled, rejected) {
      awaited = true
      return started.promise.then(fulfilled, rejected)
    },
  }
}

function startWaiting(scope: Scope): void {
  for (const entry of scope.waiting) {
    if (missingServices(scope, entry.plugin).length > 0) continue
    scope.waiting.delete(entry)
    entry.start()
  }
}
