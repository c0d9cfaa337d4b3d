/**
 * The bundle of one program: a definition whose body runs it. `body` is the body of an async function
 * as plain JavaScript, which cannot close that function.
 */
export function composeProgram(body: string, tools: readonly string[]): string {
  return `(__require, __module, __exports) => {
"use strict"
for (const name of ${JSON.stringify(WITHHELD)}) delete globalThis[name]
class ToolCallError extends Error {
  constructor(toolName, message) {
    super(message)
    this.name = 'ToolCallError'
    this.toolName = toolName
  }
}
const names = ${JSON.stringify(tools)}
const program = async (tools, ToolCallError, process, require, module, exports) => {${body}
}
const bind = (callTool, name) => async (args = {}) => {
  let answer
  try {
    answer = await callTool(name, args)
  } catch (error) {
    throw new ToolCallError(name, error.message)
  }
  if (answer.ok) return answer.value
  throw new ToolCallError(name, answer.message)
}
__module.exports = {
  name: 'program',
  description: 'a program',
  parameters: { type: 'object' },
  output: { schema: {}, render: () => [] },
  async execute(_args, { callTool }) {
    const tools = Object.create(null)
    for (const name of names)
      Object.defineProperty(tools, name, { value: bind(callTool, name), enumerable: true })
    const result = await program(Object.freeze(tools), ToolCallError)
    return result === undefined ? {} : { result }
  },
}
}`
}

/** What the sandbox offers to tools and a program does not get. */
const WITHHELD = ['process', 'require', 'module', 'exports', 'fetch', 'global']
