// Stands around a tool's bundle, inside the sandbox. What it tells is as true as the tool lets it be.
import { DEFAULT_JSON_LIMITS } from '../../src/json/limits.ts'
import { tryWriteJson } from '../../src/json/write.ts'
import type { ProjectionKind } from '../../src/types/engine.ts'
import { freezeJson } from '../shared/freeze-json.ts'
import { invokeProjection } from '../shared/invoke.ts'
import type { BundleFactory, BundleModule } from '../shared/bundle-factory.ts'
import { toManifestRow } from '../shared/manifest-row.ts'
import { createToolbox, type FoundTool, type Toolbox } from '../shared/toolbox.ts'
import { startBody } from './body.ts'
import { fireSignal, type FireRequest } from './fire.ts'
import { diffStates, toState, type DefinitionState } from './definition-state.ts'

/** What the host asks of the probe: to watch a definition, or to fire a signal. */
export type ProbeRequest =
  ({ readonly op: 'survey' } & SurveyRequest) | ({ readonly op: 'fire' } & FireRequest)

export interface SurveyRequest {
  readonly tool: string
  /** Arguments of the one call; without them the body is not entered. */
  readonly args?: unknown
  readonly kinds: readonly ProjectionKind[]
  /** How long the body is waited for, in milliseconds. */
  readonly limitMs: number
}

/** What it answers; hostile until parsed (src/check/survey.ts). */
export interface Survey {
  readonly changes: readonly { readonly field: string; readonly when: string }[]
  readonly projections: readonly RepeatedProjection[]
  /** How long the body took by the clock in here, in milliseconds; absent when it did not end. */
  readonly lastedMs?: number
}

/** A projection that was asked the same twice in one context. */
export interface RepeatedProjection {
  readonly kind: ProjectionKind
  /** What the quicker of both took by the clock in here, in milliseconds. */
  readonly ms: number
  /** The beginnings of its two answers, where they differ. */
  readonly unsteady?: { readonly first: string; readonly second: string }
}

interface Loaded {
  readonly toolbox: Toolbox
  /** The definitions as they were when the source had registered them, by name. */
  readonly registered: ReadonlyMap<unknown, DefinitionState>
}

const MAX_SHOWN = 200

/** A tool that loads the tools of `factory` beside itself and calls one of them per request. */
export function createProbe(
  factory: BundleFactory,
  require: (name: string) => unknown,
): Record<string, unknown> {
  const loading = loadInner(factory, require)
  loading.catch(() => undefined) // Reported by the call that needs it.
  return {
    name: 'caisson_probe',
    description: 'Calls and watches a tool of the source it stands around.',
    parameters: { type: 'object' },
    output: { schema: {}, render: () => [] },
    async execute(request: ProbeRequest, exec: object) {
      const { toolbox, registered } = await loading
      const tool = toolbox.find(request.tool)
      if (tool === undefined) throw new Error(`there is no tool ${request.tool}`)
      if (request.op === 'fire') return fireSignal(tool, request, exec)
      return survey(tool, request, { exec, registered: registered.get(request.tool) })
    },
  }
}

async function loadInner(
  factory: BundleFactory,
  require: (name: string) => unknown,
): Promise<Loaded> {
  const module: BundleModule = { exports: {} }
  await factory(require, module, module.exports)
  const toolbox = await createToolbox(module, undefined)
  return { toolbox, registered: new Map(describe(toolbox).map((row) => [row.name, toState(row)])) }
}

function describe(toolbox: Toolbox): ReturnType<Toolbox['describe']> {
  try {
    return toolbox.describe()
  } catch {
    return [] // Its tools may come later, from a timer.
  }
}

async function survey(
  tool: FoundTool,
  request: SurveyRequest,
  given: { readonly exec: object; readonly registered: DefinitionState | undefined },
): Promise<Survey> {
  const { registered, exec } = given
  const before = toState(toManifestRow(tool), tool)
  const changes =
    registered === undefined ? [] : diffStates(registered, before, 'while the source loads')
  if (request.args === undefined) return { changes, projections: [] }
  const run = startBody(tool, request, exec)
  const end = await run.within(request.limitMs)
  const after = toState(toManifestRow(tool), tool)
  changes.push(...diffStates(before, after, 'by execute'))
  const projections = repeatProjections(tool, request, end?.value)
  changes.push(...diffStates(after, toState(toManifestRow(tool), tool), 'by a projector'))
  return { changes, projections, ...(end === undefined ? {} : { lastedMs: end.lastedMs }) }
}

function repeatProjections(
  tool: FoundTool,
  { args, kinds }: SurveyRequest,
  value: unknown,
): RepeatedProjection[] {
  const written = tryWriteJson(value, DEFAULT_JSON_LIMITS, 'value')
  const copy =
    written.kind === 'text' ? { value: freezeJson(JSON.parse(written.text) as unknown) } : undefined
  const project = (kind: ProjectionKind): { text: string; ms: number } => {
    const input = inputOf(kind, args, copy)
    const begun = performance.now()
    const text = invokeProjection(tool, kind, input, DEFAULT_JSON_LIMITS)
    return { text, ms: performance.now() - begun }
  }
  return kinds
    .filter((kind) => copy !== undefined || !needsValue(kind))
    .map((kind) => compare(kind, project(kind), project(kind)))
}

function compare(
  kind: ProjectionKind,
  one: { readonly text: string; readonly ms: number },
  other: { readonly text: string; readonly ms: number },
): RepeatedProjection {
  const ms = Math.min(one.ms, other.ms)
  if (one.text === other.text) return { kind, ms }
  const [first, second] = [one.text.slice(0, MAX_SHOWN), other.text.slice(0, MAX_SHOWN)]
  return { kind, ms, unsteady: { first, second } }
}

function inputOf(
  kind: ProjectionKind,
  args: unknown,
  copy: { readonly value: unknown } | undefined,
): unknown[] {
  if (needsValue(kind)) return [args, copy?.value]
  if (kind === 'presentResult') return [args, { content: [], isError: false }]
  return [args]
}

function needsValue(kind: ProjectionKind): boolean {
  return kind === 'render' || kind === 'presentationMeta'
}
