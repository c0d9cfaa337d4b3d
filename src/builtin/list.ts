import { listFolder } from '../broker/fs/list-folder.ts'
import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { withPlainErrors } from './refuse.ts'
import type { BuiltinServices } from './services.ts'

const MAX_SHOWN = 1_000

/** `list`: the names in a folder of the workspace. */
export function createListTool(services: BuiltinServices): ToolDefinition {
  return defineTool({
    name: 'list',
    description: 'Lists a folder of the workspace, sorted; folders end with a slash.',
    parameters: {
      path: {
        type: 'string',
        description: 'Folder below the workspace; the workspace itself unless said',
      },
      recursive: { type: 'boolean', description: 'Also what lies below; links are not followed' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          path: { type: 'string', required: true },
          entries: {
            type: 'array',
            required: true,
            items: {
              type: 'object',
              additionalProperties: false,
              properties: {
                name: { type: 'string', required: true },
                type: {
                  type: 'string',
                  enum: ['file', 'directory', 'symlink', 'other'],
                  required: true,
                },
              },
            },
          },
          total: { type: 'integer', required: true },
          truncated: { type: 'boolean', required: true },
        },
      },
      render: (_args, { entries, total, truncated }) => {
        const names = entries.map(({ name, type }) => (type === 'directory' ? `${name}/` : name))
        const note = truncated ? [`(${entries.length} of ${total} shown)`] : []
        const lines = [...names, ...note]
        return [{ type: 'text', text: lines.length === 0 ? '(empty)' : lines.join('\n') }]
      },
      presentationMeta: (_args, { path, entries, total, truncated }) => ({
        total,
        truncated,
        paths: entries.slice(0, 200).map(({ name }) => `${path}${name}`),
      }),
    },
    async execute({ path = '', recursive = false }, exec) {
      const folder = path === '' || path === '.' ? 'workspace:/' : services.toToolPath(path)
      const all = await withPlainErrors(path, () =>
        listFolder(services.files(exec), folder, recursive),
      )
      const entries = all.slice(0, MAX_SHOWN).map(({ name, type }) => ({ name, type }))
      const shown = folder.startsWith('workspace:/') ? folder : `workspace:/${folder}`
      return {
        path: shown.endsWith('/') ? shown : `${shown}/`,
        entries,
        total: all.length,
        truncated: all.length > entries.length,
      }
    },
    isConcurrencySafe: () => true,
    presentCall: ({ path = '' }) => ({
      card: 'generic',
      title: `List ${path === '' ? 'the workspace' : path}`,
      kind: 'search',
    }),
    presentResult(_args, { isError, meta }) {
      if (isError) return undefined
      const { paths, total, truncated } = meta as {
        paths: string[]
        total: number
        truncated: boolean
      }
      return { card: 'search', shape: 'paths', paths, total, truncated }
    },
  })
}
