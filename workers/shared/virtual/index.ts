import { CaissonError, isCaissonError } from '../../../src/errors/caisson-error.ts'
import { defineTool } from '../../../src/registry/define-tool.ts'
import { createClaudeAgentSdk } from './claude-agent-sdk.ts'
import { createCordis } from './cordis.ts'
import { createDefineTool, type FindSchemas } from './define-known.ts'
import { createDshErrors, type DshErrors } from './dsh-errors.ts'
import { createDshLlm } from './dsh-llm.ts'
import { createDshTools } from './dsh-tools.ts'
import { createDshValues } from './dsh-values.ts'

/** Third-party code behind a virtual module, fetched when it is first asked for. */
export interface VirtualLibraries {
  schemastery(): unknown
}

/**
 * Answers the packages of `VIRTUAL_MODULES` by name; undefined for any other. Each is made on first
 * use, once: modules that share a class share the same one. `find` finds the schemas
 * of a source that has been described before.
 */
export function createVirtualModules(
  libraries: VirtualLibraries,
  find?: FindSchemas,
): (name: string) => unknown {
  const define = find === undefined ? defineTool : createDefineTool(find)
  const made = new Map<string, unknown>()
  let errors: DshErrors | undefined
  const sharedErrors = (): DshErrors => (errors ??= createDshErrors())
  const make = (name: string): unknown => {
    switch (name) {
      case 'caisson':
        return { CaissonError, defineTool: define, isCaissonError }
      case '@anthropic-ai/claude-agent-sdk':
        return createClaudeAgentSdk()
      case '@deepseek-ai/dsh-tools':
        return createDshTools(sharedErrors(), define)
      case '@deepseek-ai/dsh-llm':
        return createDshLlm(sharedErrors())
      case '@deepseek-ai/dsh-util-values':
        return createDshValues()
      case '@deepseek-ai/cordis':
        return createCordis()
      case '@deepseek-ai/schemastery':
        return libraries.schemastery()
      default:
        return undefined
    }
  }
  return (name) => {
    const full = name === 'cordis' || name === 'schemastery' ? `@deepseek-ai/${name}` : name
    if (!made.has(full)) {
      const module = make(full)
      if (module === undefined) return undefined
      made.set(full, module)
    }
    return made.get(full)
  }
}
