import { createToolHost } from '../../src/host/create-tool-host.ts'
import { runLoad, type LoadOutcome, type LoadRun } from '../../src/load/run-load.ts'
import type { LoadSpec } from '../../src/load/spec.ts'
import { makeTool } from '../helpers/make-call.ts'

type Body = (args: unknown, exec: { readonly signal: AbortSignal }) => unknown

/** Runs a load on inline tools of a real host, which is closed afterwards. */
export async function load(
  tools: Readonly<Record<string, Body>>,
  given: Partial<LoadSpec>,
  more: Partial<LoadRun> = {},
): Promise<LoadOutcome> {
  await using host = createToolHost()
  for (const [name, execute] of Object.entries(tools)) {
    host.tools.register(makeTool(name, { execute }))
  }
  return await runLoad({
    host,
    source: 'inline',
    environment: ENVIRONMENT,
    thresholds: [],
    signal: new AbortController().signal,
    ...more,
    spec: {
      model: 'open',
      calls: Object.keys(tools).map((tool) => ({ tool, args: {}, weight: 1 })),
      level: 100,
      stages: [],
      durationMs: undefined,
      requests: undefined,
      warmup: {},
      arrivals: 'constant',
      seed: 1,
      maxOutstanding: 1_000,
      ...given,
    },
  })
}

const ENVIRONMENT = {
  caisson: '0.0.0',
  node: process.versions.node,
  platform: 'test',
  cores: 2,
  cpu: 'test',
  engine: 'inline',
  profile: 'none',
  sandbox: 'none',
  state: 'kept',
}
