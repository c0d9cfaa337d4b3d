import { applyPatch, parsePatch, type StructuredPatch } from 'diff'
import { changeFiles, type FileChange } from '../broker/fs/change-files.ts'
import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { toDiffMeta, toDiffView } from './diff-meta.ts'
import { toolError, withPlainErrors } from './refuse.ts'
import type { BuiltinServices } from './services.ts'
import { toText } from './text-file.ts'

interface Patch {
  readonly file_path: string
  readonly operation?: 'create' | 'update' | 'delete'
  readonly content?: string
  readonly diff?: string
}

const MAX_FILES = 100

/** `apply_patch`: changes several files at once; all of them or none. */
export function createApplyPatchTool(services: BuiltinServices): ToolDefinition {
  return defineTool({
    name: 'apply_patch',
    description:
      'Changes several files of the workspace at once: all of them, or none when one does not fit.' +
      ' Each entry updates a file that was read before by a unified diff, creates one, or deletes one.',
    parameters: {
      patches: {
        type: 'array',
        required: true,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: {
            file_path: { type: 'string', required: true },
            operation: {
              type: 'string',
              enum: ['create', 'update', 'delete'],
              description: 'update unless said',
            },
            diff: { type: 'string', description: 'update: hunks of a unified diff of this file' },
            content: { type: 'string', description: 'create: the whole content' },
          },
        },
      },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          files: {
            type: 'array',
            required: true,
            items: {
              type: 'object',
              additionalProperties: false,
              properties: {
                path: { type: 'string', required: true },
                operation: { type: 'string', enum: ['create', 'update', 'delete'], required: true },
                before: { oneOf: [{ type: 'string' }, { type: 'null' }], required: true },
                after: { oneOf: [{ type: 'string' }, { type: 'null' }], required: true },
              },
            },
          },
        },
      },
      render: (_args, { files }) => [
        {
          type: 'text',
          text: files.map(({ path, operation }) => `${operation} ${path}`).join('\n'),
        },
      ],
      presentationMeta: (_args, { files }) => toDiffMeta(files),
    },
    async execute({ patches }, exec) {
      if (patches.length === 0) throw toolError('patches is empty: there is nothing to do')
      if (patches.length > MAX_FILES) throw toolError(`more than ${MAX_FILES} files at once`)
      const changes = patches.map((patch) => toChange(patch, services.toToolPath(patch.file_path)))
      if (new Set(changes.map(({ path }) => path)).size < changes.length)
        throw toolError('one file is named twice; put its hunks into one diff')
      const done = await withPlainErrors('a file of the patch', () =>
        changeFiles(services.files(exec), changes),
      )
      return {
        files: done.map(({ target, before, after }, index) => ({
          path: target.displayPath,
          operation: patches[index]?.operation ?? 'update',
          before: before === undefined ? null : before.toString('utf8'),
          after: after === undefined ? null : after.toString('utf8'),
        })),
      }
    },
    presentCall: ({ patches }) => ({
      card: 'generic',
      title: `Patch ${patches.length === 1 ? '1 file' : `${patches.length} files`}`,
      kind: 'edit',
      locations: patches.map(({ file_path }) => ({ path: file_path })),
    }),
    presentResult: (_args, { isError, meta }) => (isError ? undefined : toDiffView(meta)),
  })
}

function toChange(patch: Patch, path: string): FileChange {
  const { file_path, operation = 'update', content, diff } = patch
  if (operation === 'delete') {
    if (content !== undefined || diff !== undefined)
      throw toolError(`'${file_path}': a deletion has neither content nor diff`)
    return { path, gate: 'edit', next: () => undefined }
  }
  if (operation === 'create') {
    if (content === undefined || diff !== undefined)
      throw toolError(`'${file_path}': a creation needs content, and no diff`)
    return { path, gate: 'write', next: (before) => create(before, content, file_path) }
  }
  if (diff === undefined || content !== undefined)
    throw toolError(`'${file_path}': an update needs a diff, and no content`)
  const hunks = toHunks(diff, file_path)
  return { path, gate: 'edit', next: (before) => update(before, hunks, file_path) }
}

function create(before: Buffer | undefined, content: string, path: string): Buffer {
  if (before !== undefined) throw toolError(`'${path}' exists; update it instead`)
  return Buffer.from(content)
}

function update(before: Buffer | undefined, hunks: StructuredPatch, path: string): Buffer {
  const patched = applyPatch(toText(before ?? Buffer.alloc(0), path), hunks)
  if (patched === false) throw toolError(`the diff does not fit '${path}'; read it again`)
  return Buffer.from(patched)
}

function toHunks(diff: string, path: string): StructuredPatch {
  const found = tryParse(diff)
  const [only] = found
  if (only !== undefined && found.length === 1 && only.hunks.length > 0) return only
  throw toolError(`'${path}': diff must be the unified diff of one file, with @@ hunks`)
}

function tryParse(diff: string): StructuredPatch[] {
  try {
    return parsePatch(diff)
  } catch {
    return []
  }
}
