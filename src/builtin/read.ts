import { readFile } from '../broker/fs/read-file.ts'
import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { withPlainErrors } from './refuse.ts'
import type { BuiltinServices } from './services.ts'
import { toLines, toText } from './text-file.ts'

const DEFAULT_LINES = 2_000
const MAX_LINE = 2_000
const MAX_CHARACTERS = 256 * 1024

/** `read`: a window of a text file; records the version of the whole file. */
export function createReadTool(services: BuiltinServices): ToolDefinition {
  return defineTool({
    name: 'read',
    description:
      'Reads a text file of the workspace. Shows up to 2000 lines from `offset` (1 is the first).' +
      ' A file must be read before it is changed.',
    parameters: {
      file_path: { type: 'string', required: true, description: 'Path below the workspace' },
      offset: { type: 'integer', description: 'First line to show, from 1' },
      limit: { type: 'integer', description: 'How many lines to show, 2000 unless said' },
    },
    output: {
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          path: { type: 'string', required: true },
          content: { type: 'string', required: true },
          offset: { type: 'integer', required: true },
          lines: { type: 'integer', required: true },
          totalLines: { type: 'integer', required: true },
          truncated: { type: 'boolean', required: true },
        },
      },
      render: (_args, value) => [{ type: 'text', text: drawWindow(value) }],
      presentationMeta: (_args, { path, offset, lines, totalLines }) => ({
        path,
        offset,
        lines,
        totalLines,
      }),
    },
    async execute({ file_path, offset = 1, limit = DEFAULT_LINES }, exec) {
      const path = services.toToolPath(file_path)
      const scene = services.files(exec)
      const { bytes, display } = await withPlainErrors(file_path, () => readFile(scene, path))
      return toWindow(display, toText(bytes, display), Math.max(1, offset), Math.max(0, limit))
    },
    isConcurrencySafe: () => true,
    presentCall: ({ file_path }) => ({
      card: 'generic',
      title: `Read ${file_path}`,
      kind: 'read',
      locations: [{ path: file_path }],
    }),
    presentResult(_args, { isError, content, meta }) {
      if (isError) return undefined
      const { path, offset, lines, totalLines } = meta as unknown as Window
      return { card: 'read', path, offset, lines, totalLines, content }
    },
  })
}

interface Window {
  readonly path: string
  readonly content: string
  readonly offset: number
  readonly lines: number
  readonly totalLines: number
  readonly truncated: boolean
}

function toWindow(path: string, text: string, offset: number, limit: number): Window {
  const all = toLines(text)
  const shown: string[] = []
  let characters = 0
  for (const line of all.slice(offset - 1, offset - 1 + limit)) {
    const cut = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line
    characters += cut.length + 1
    if (characters > MAX_CHARACTERS) break
    shown.push(cut)
  }
  return {
    path,
    content: shown.join('\n'),
    offset,
    lines: shown.length,
    totalLines: all.length,
    truncated: offset > 1 || shown.length < all.length,
  }
}

function drawWindow({ content, offset, lines, totalLines, truncated }: Window): string {
  if (totalLines === 0) return '(the file is empty)'
  if (lines === 0) return `(no line ${offset}: the file has ${totalLines})`
  const width = String(offset + lines - 1).length
  const numbered = content
    .split('\n')
    .map((line, index) => `${String(offset + index).padStart(width)}  ${line}`)
  const note = truncated ? `\n(lines ${offset}-${offset + lines - 1} of ${totalLines})` : ''
  return `${numbered.join('\n')}${note}`
}
