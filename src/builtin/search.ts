import { setImmediate } from 'node:timers/promises'
import picomatch from 'picomatch'
import { isCaissonError } from '../errors/caisson-error.ts'
import { checkLive, type FsScene } from '../broker/fs/reach.ts'
import { peekFile } from '../broker/fs/read-file.ts'
import { defineTool } from '../registry/define-tool.ts'
import type { ToolDefinition } from '../types/tool.ts'
import { compileSearch, type LineTest } from './compile-search.ts'
import { toolError, withPlainErrors } from './refuse.ts'
import type { BuiltinServices } from './services.ts'
import { toLines } from './text-file.ts'
import { isCheapGlob, walkFiles } from './walk-files.ts'

const DEFAULT_RESULTS = 200
const MAX_RESULTS = 2_000
const MAX_FILES = 50_000
const MAX_LINE = 500
const MAX_PATH = 1_024
/** Work between two looks at the rest of the host. */
const SLICE_MS = 8

/** `search`: lines that match an expression, or paths that match a glob. */
export function createSearchTool(services: BuiltinServices): ToolDefinition {
  return defineTool({
    name: 'search',
    description:
      'Searches the files of the workspace: lines that match `pattern` (RE2 syntax), or, without a' +
      ' pattern, paths that match `glob`. Leaves out what .gitignore leaves out, and binary files.',
    parameters: {
      pattern: { type: 'string', description: 'Expression to look for in each line' },
      path: { type: 'string', description: 'Folder to search in; the workspace unless said' },
      glob: { type: 'string', description: 'Only files whose path matches, e.g. **/*.ts' },
      literal: { type: 'boolean', description: 'Take the pattern as plain text' },
      ignore_case: { type: 'boolean' },
      include_ignored: { type: 'boolean', description: 'Also what .gitignore leaves out' },
      max_results: { type: 'integer', description: '200 unless said, at most 2000' },
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
                matches: {
                  type: 'array',
                  required: true,
                  items: {
                    type: 'object',
                    additionalProperties: false,
                    properties: {
                      lineNumber: { type: 'integer', required: true },
                      line: { type: 'string', required: true },
                    },
                  },
                },
              },
            },
          },
          total: { type: 'integer', required: true },
          truncated: { type: 'boolean', required: true },
        },
      },
      render: (_args, value) => [{ type: 'text', text: drawFound(value) }],
      presentationMeta: ({ pattern }, { files, total, truncated }) => ({
        total,
        truncated,
        ...(pattern === undefined
          ? { paths: files.slice(0, 200).map(({ path }) => path) }
          : {
              files: files
                .slice(0, 50)
                .map(({ path, matches }) => ({ path, matches: [...matches.slice(0, 20)] })),
            }),
      }),
    },
    async execute(args, exec) {
      const { pattern, glob, max_results = DEFAULT_RESULTS } = args
      if (pattern === undefined && glob === undefined)
        throw toolError('say what to look for: a pattern for lines, or a glob for paths')
      const isWanted = glob === undefined ? () => true : compileGlob(glob)
      const test =
        pattern === undefined
          ? undefined
          : compileSearch(pattern, {
              literal: args.literal === true,
              ignoreCase: args.ignore_case === true,
            })
      const folder = toFolder(services.toToolPath(args.path ?? ''))
      const limit = Math.min(Math.max(1, max_results), MAX_RESULTS)
      const scene = services.files(exec)
      const options = { includeIgnored: args.include_ignored === true }
      return await withPlainErrors(args.path ?? '.', () =>
        find(scene, walkFiles(scene, folder, options), { isWanted, test, limit }),
      )
    },
    isConcurrencySafe: () => true,
    presentCall: ({ pattern, glob }) => ({
      card: 'generic',
      title: `Search ${pattern ?? glob ?? ''}`,
      kind: 'search',
    }),
    presentResult(_args, { isError, meta }) {
      if (isError) return undefined
      const { files, paths, total, truncated } = meta as unknown as Shown
      if (files !== undefined) return { card: 'search', shape: 'matches', files, total, truncated }
      return { card: 'search', shape: 'paths', ...(paths && { paths }), total, truncated }
    },
  })
}

interface Match {
  lineNumber: number
  line: string
}

interface FoundFile {
  path: string
  matches: Match[]
}

interface Found {
  readonly files: FoundFile[]
  readonly total: number
  readonly truncated: boolean
}

interface Shown {
  readonly files?: FoundFile[]
  readonly paths?: string[]
  readonly total: number
  readonly truncated: boolean
}

interface Query {
  readonly isWanted: (path: string) => boolean
  readonly test: LineTest | undefined
  readonly limit: number
}

async function find(
  scene: FsScene,
  paths: AsyncGenerator<string, void, void>,
  { isWanted, test, limit }: Query,
): Promise<Found> {
  const files: FoundFile[] = []
  let total = 0
  let seen = 0
  for await (const path of paths) {
    checkLive(scene)
    seen += 1
    if (seen > MAX_FILES || total >= limit) return { files, total, truncated: true }
    if (!isWanted(path)) continue
    const matches =
      test === undefined ? [] : await findIn(scene, path, { test, limit: limit - total })
    if (test !== undefined && matches.length === 0) continue
    files.push({ path: `workspace:/${path}`, matches })
    total += Math.max(1, matches.length)
  }
  return { files, total, truncated: false }
}

async function findIn(
  scene: FsScene,
  path: string,
  { test, limit }: { readonly test: LineTest; readonly limit: number },
): Promise<Match[]> {
  const bytes = await tryPeek(scene, path)
  if (bytes === undefined || bytes.includes(0)) return []
  const matches: Match[] = []
  let since = performance.now()
  for (const [index, line] of toLines(bytes.toString('utf8')).entries()) {
    if (index % 64 === 0 && performance.now() - since > SLICE_MS) {
      await setImmediate()
      checkLive(scene)
      since = performance.now()
    }
    if (!test(line)) continue
    matches.push({ lineNumber: index + 1, line: line.slice(0, MAX_LINE) })
    if (matches.length >= limit) break
  }
  return matches
}

// What went away, may not be read or is too large is no match.
async function tryPeek(scene: FsScene, path: string): Promise<Buffer | undefined> {
  try {
    return (await peekFile(scene, `workspace:/${path}`)).bytes
  } catch (error) {
    if (isCaissonError(error) && error.code === 'CAPABILITY_DENIED') throw error
    return undefined
  }
}

function compileGlob(glob: string): (path: string) => boolean {
  if (!isCheapGlob(glob)) throw toolError('glob is too long, or has too many stars')
  const options = { dot: true, nonegate: true, noextglob: true, basename: !glob.includes('/') }
  const matches = picomatch(glob, options)
  return (path) => path.length <= MAX_PATH && matches(path)
}

function toFolder(path: string): string {
  const folder = path.replace(/^workspace:\/|^\/workspace(\/|$)/, '').replace(/^\.\/?/, '')
  return folder.replace(/\/+$/, '')
}

function drawFound({ files, total, truncated }: Found): string {
  if (files.length === 0) return 'Nothing was found.'
  const lines = files.flatMap(({ path, matches }) =>
    matches.length === 0
      ? [path]
      : matches.map(({ lineNumber, line }) => `${path}:${lineNumber}: ${line}`),
  )
  return [...lines, ...(truncated ? [`(stopped after ${total})`] : [])].join('\n')
}
