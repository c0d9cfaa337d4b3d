import { changeFiles } from '../broker/fs/change-files.ts'
import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { toDiffMeta, toDiffView } from './diff-meta.ts'
import { toolError, withPlainErrors } from './refuse.ts'
import type { BuiltinServices } from './services.ts'
import { toText } from './text-file.ts'

interface Replacement {
  readonly old_string: string
  readonly new_string: string
  readonly replace_all?: boolean
}

/** `edit`: replaces a text that occurs once, or every occurrence. */
export function createEditTool(services: BuiltinServices): ToolDefinition {
  return defineTool({
    name: 'edit',
    description:
      'Replaces a text in a file of the workspace that was read before. `old_string` must occur' +
      ' exactly once, unless `replace_all` is true.',
    parameters: {
      file_path: { type: 'string', required: true, description: 'Path below the workspace' },
      old_string: { type: 'string', required: true, description: 'The text as it is now' },
      new_string: { type: 'string', required: true, description: 'The text in its place' },
      replace_all: { type: 'boolean', description: 'Replace every occurrence' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          path: { type: 'string', required: true },
          before: { type: 'string', required: true },
          after: { type: 'string', required: true },
        },
      },
      render: (_args, { path }) => [{ type: 'text', text: `Edited ${path}` }],
      presentationMeta: (_args, value) => toDiffMeta([value]),
    },
    async execute(args, exec) {
      checkReplacement(args)
      const path = services.toToolPath(args.file_path)
      let text = { before: '', after: '' }
      const next = (bytes: Buffer | undefined): Buffer => {
        const before = toText(bytes ?? Buffer.alloc(0), args.file_path)
        text = { before, after: replaceText(before, args, args.file_path) }
        return Buffer.from(text.after)
      }
      const [changed] = await withPlainErrors(args.file_path, () =>
        changeFiles(services.files(exec), [{ path, gate: 'edit', next }]),
      )
      return { path: changed?.target.displayPath ?? path, ...text }
    },
    presentCall: ({ file_path, old_string, new_string }) => ({
      card: 'diff',
      title: `Edit ${file_path}`,
      diffs: [{ path: file_path, oldText: old_string, newText: new_string }],
    }),
    presentResult: (_args, { isError, meta }) => (isError ? undefined : toDiffView(meta)),
  })
}

/** Throws `TOOL_ERROR` for a replacement that cannot be meant. */
function checkReplacement({ old_string, new_string }: Replacement): void {
  if (old_string === '') throw toolError('old_string is empty: say which text is to be replaced')
  if (old_string === new_string) throw toolError('old_string and new_string are the same text')
}

/** The text with the replacement made. Throws `TOOL_ERROR` when it does not say where. */
function replaceText(before: string, how: Replacement, path: string): string {
  const { old_string, new_string, replace_all } = how
  const parts = before.split(old_string)
  const count = parts.length - 1
  if (count === 0) throw toolError(`old_string does not occur in '${path}'; read it again`)
  if (count > 1 && replace_all !== true) {
    throw toolError(
      `old_string occurs ${count} times in '${path}'; give more of the text around it, or replace_all`,
    )
  }
  return parts.join(new_string)
}
