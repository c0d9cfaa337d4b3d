import { callMethod, composeDefinition, nameOf, type ForeignTool } from './format.ts'
import { renderBlocks } from './result.ts'

/** What an extension of pi finds on its one argument. */
export interface PiServices {
  readonly services: readonly (readonly [string, unknown])[]
  /** Whether a tool was registered in this way. */
  used(): boolean
}

const IGNORED = [
  'registerCommand',
  'registerFlag',
  'registerMessageRenderer',
  'registerShortcut',
  'getFlag',
]

/**
 * Creates the services: `registerTool` takes `{ name, parameters, execute(id, params, signal,
 * onUpdate, ctx) }` with results `{ content, details }`; what needs a terminal is taken and ignored.
 */
export function createPiServices(register: (definition: object) => unknown): PiServices {
  let used = false
  const registerTool = (tool: unknown): void => {
    used = true
    register(toDefinition(Object(tool) as ForeignTool))
  }
  return {
    services: [
      ['registerTool', registerTool],
      ...IGNORED.map((name) => [name, () => undefined] as const),
    ],
    used: () => used,
  }
}

function toDefinition(tool: ForeignTool): object {
  return composeDefinition({
    name: nameOf(tool, { key: '', file: '' }),
    tool,
    schema: tool['parameters'],
    call(input, exec) {
      let updates = 0
      const onUpdate = (update: unknown): void => {
        updates += 1
        const message = firstText(Reflect.get(Object(update), 'content'))
        exec.progress({ progress: updates, ...(message === undefined ? {} : { message }) })
      }
      const ctx = { cwd: '/workspace', hasUI: false, signal: exec.signal }
      return callMethod(tool, 'execute', [exec.callId, input, exec.signal, onUpdate, ctx])
    },
    render: (value) => renderBlocks(Reflect.get(Object(value), 'content') ?? value),
  })
}

function firstText(content: unknown): string | undefined {
  const text: unknown = Array.isArray(content) ? Reflect.get(Object(content[0]), 'text') : undefined
  return typeof text === 'string' ? text : undefined
}
