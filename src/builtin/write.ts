import { changeFiles } from '../broker/fs/change-files.ts'
import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { toDiffMeta, toDiffView } from './diff-meta.ts'
import { withPlainErrors } from './refuse.ts'
import type { BuiltinServices } from './services.ts'

/** `write`: creates a file, or replaces the whole of one that its agent has read as it is. */
export function createWriteTool(services: BuiltinServices): ToolDefinition {
  return defineTool({
    name: 'write',
    description:
      'Writes a whole file of the workspace. A file that exists must have been read before.' +
      ' To change a part of a file use edit.',
    parameters: {
      file_path: { type: 'string', required: true, description: 'Path below the workspace' },
      content: { type: 'string', required: true, description: 'The whole new content' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          path: { type: 'string', required: true },
          operation: { type: 'string', enum: ['create', 'update'], required: true },
          before: { oneOf: [{ type: 'string' }, { type: 'null' }], required: true },
          after: { type: 'string', required: true },
        },
      },
      render: (_args, { path, operation, after }) => [
        {
          type: 'text',
          text: `${operation === 'create' ? 'Created' : 'Updated'} ${path} (${Buffer.byteLength(after)} bytes)`,
        },
      ],
      presentationMeta: (_args, value) => toDiffMeta([value]),
    },
    async execute({ file_path, content }, exec) {
      const path = services.toToolPath(file_path)
      const after = Buffer.from(content)
      const [changed] = await withPlainErrors(file_path, () =>
        changeFiles(services.files(exec), [{ path, gate: 'write', next: () => after }]),
      )
      const before = changed?.before
      return {
        path: changed?.target.displayPath ?? path,
        operation: before === undefined ? ('create' as const) : ('update' as const),
        before: before === undefined ? null : before.toString('utf8'),
        after: content,
      }
    },
    presentCall: ({ file_path, content }) => ({
      card: 'diff',
      title: `Write ${file_path}`,
      diffs: [{ path: file_path, oldText: null, newText: content }],
    }),
    presentResult: (_args, { isError, meta }) => (isError ? undefined : toDiffView(meta)),
  })
}
