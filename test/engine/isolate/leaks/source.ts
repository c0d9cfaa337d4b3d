import { CHANNELS } from './channels.ts'

/** What the module of these tools imports. */
const IMPORTS = `
  import EventEmitter from 'node:events'
  import * as path from 'node:path'
  import * as util from 'node:util'
  import * as stream from 'node:stream'
  import * as crypto from 'node:crypto'
  import * as querystring from 'node:querystring'
  import * as timers from 'node:timers'
  import { AsyncLocalStorage } from 'node:async_hooks'
  const given = (name) => __caisson_require(name)
  const seen = new Set()
  const storage = new AsyncLocalStorage()
  const mark = 'mark'
  let variable
  const logged = []
  const tag = () => ((strings) => strings)\`mark\`
  class Base { constructor(given) { return given } }
  class Stamp extends Base {
    #value
    constructor(given, value) { super(given); this.#value = value }
    static read(given) { return #value in given ? given.#value : undefined }
  }
`

/** The tools `leave` and `look`, each of one channel named in its arguments. */
export const SOURCE: string = `
  ${IMPORTS}
  const leaves = { ${CHANNELS.map(({ name, leave }) => `[${JSON.stringify(name)}](exec) { ${leave} }`).join(',\n')} }
  const looks = { ${CHANNELS.map(({ name, look }) => `[${JSON.stringify(name)}](exec) { ${/;\s*return /.test(look) ? look : `return ${look}`} }`).join(',\n')} }
  const sees = (channel, exec) => Boolean(looks[channel](exec))
  const tool = (name, execute) => ({
    name,
    description: name,
    parameters: { type: 'object' },
    output: { schema: {}, render: () => [{ type: 'text', text: 'done' }] },
    execute,
  })
  const tools = [
    tool('leave', async ({ channel }, exec) => {
      try {
        leaves[channel](exec)
      } catch (error) {
        return { refused: String(error.message) }
      }
      return { sees: sees(channel, exec) }
    }),
    tool('look', async ({ channel, wait }, exec) => {
      if (wait) await new Promise((resolve) => setTimeout(resolve, wait))
      return { sees: sees(channel, exec) }
    }),
  ]
  export default tools
`
