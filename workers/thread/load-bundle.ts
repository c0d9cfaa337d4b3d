import { createRequire } from 'node:module'
import { constants, runInThisContext } from 'node:vm'
import { createToolbox, type Toolbox } from '../shared/toolbox.ts'
import type { BundleFactory, BundleModule } from '../shared/bundle-factory.ts'
import { createVirtualModules } from '../shared/virtual/index.ts'
import type { ThreadBoot } from './protocol.ts'

/**
 * Evaluates a bundle with all of Node behind its `require` and `import()`, as if it still lay where
 * its entry lies. Throws what the source throws.
 */
export async function loadBundle(boot: ThreadBoot): Promise<Toolbox> {
  refuseAddons()
  return evaluateBundle(boot, () => requireSchemastery(boot))
}

/** The same where native add-ons may be loaded too; `schemastery` is the library that plugins find. */
export async function evaluateBundle(
  boot: Omit<ThreadBoot, 'schemastery'>,
  schemastery: () => unknown,
): Promise<Toolbox> {
  const factory = runInThisContext(`(${boot.code}\n)`, {
    filename: boot.entry,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as BundleFactory
  const module: BundleModule = { exports: {} }
  await factory(createToolRequire(boot.entry, schemastery), module, module.exports)
  return createToolbox(module, boot.config)
}

/** The plugin's own copy, where it has one; in an isolate there is none but the host's. */
function requireSchemastery({ entry, schemastery }: ThreadBoot): unknown {
  const require = createRequire(entry)
  try {
    return require('@deepseek-ai/schemastery')
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'MODULE_NOT_FOUND') throw error
    return require(schemastery)
  }
}

// An add-on that owns a handle aborts the whole process when its thread is terminated.
function refuseAddons(): void {
  Object.defineProperty(process, 'dlopen', {
    value: () => {
      throw new Error('native add-ons are not loaded into a thread; use the process engine')
    },
  })
}

function createToolRequire(entry: string, schemastery: () => unknown): NodeJS.Require {
  const real = createRequire(entry)
  const virtual = createVirtualModules({ schemastery })
  const require = (name: string): unknown => virtual(name) ?? (real(name) as unknown)
  return Object.assign(require, real) as NodeJS.Require
}
