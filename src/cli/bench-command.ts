import { Option, type Command } from 'commander'
import { runBench } from './bench.ts'
import { parseTolerance, runCompare } from './bench-compare.ts'
import {
  collect,
  parseMix,
  parseRate,
  parseSpan,
  parseStages,
  parseWarmup,
} from './bench-options.ts'
import type { Output } from './output.ts'
import { parseCount, parseDuration } from './parse-option.ts'
import { toolsOption } from './tools-option.ts'

const MAX_CALLERS = 10_000
const DEFAULT_OUTSTANDING = 10_000
const MAX_SEED = 4_294_967_295

/** Adds `bench` to the command line. */
export function addBench(program: Command, output: Output, exit: (code: number) => void): void {
  const bench = program
    .command('bench')
    .description('load test a tool: latency, throughput, failures, kills; thresholds and a report')
    .argument('[source]', 'module file or package folder; or a tool of --tools or --config')
    .argument('[tool]', 'tool name; may be left out when the source has one tool')
    .addOption(toolsOption())
    .option('--args <json>', 'arguments as JSON, @file, or - for standard input', '{}')
    .addOption(repeatable('--args-of <tool=json>', 'arguments of one tool, as JSON or @file'))
    .option('--mix <tool=weight,...>', 'call several tools, in these shares', parseMix)
  addLoad(bench)
  addSandbox(bench)
  bench
    .addOption(repeatable('--threshold <expression>', "such as 'p95<20' or 'errors<1%'"))
    .option('--report <file>', 'write one self-contained HTML page')
    .option('--hgrm <file>', 'write the response times as a percentile distribution (HdrHistogram)')
    .option('--json', 'print exactly one JSON object')
    .addHelpText('after', NOTES)
    .action(async (source: string | undefined, tool: string | undefined, options) =>
      exit(await runBench(output, { ...options, source, tool })),
    )
  bench
    .command('compare')
    .description('compare two files written with --json; exits 99 when the second is worse')
    .argument('<before>', 'report of the run to compare with')
    .argument('<after>', 'report of the run in question')
    .option('--tolerance <share>', 'how much worse is no regression', parseTolerance, 0.1)
    .option('--json', 'print exactly one JSON object')
    .action((before: string, after: string, options) =>
      exit(runCompare(output, { before, after, ...options })),
    )
}

function addLoad(bench: Command): void {
  bench
    .option('--rate <n>', 'open model: calls a second, as 200 or 200/s (default: 50)', parseRate)
    .option(
      '--concurrency <n>',
      'closed model: so many callers, each waits for its answer',
      parseCount('--concurrency', 1, MAX_CALLERS),
    )
    .option(
      '--stages <time:level,...>',
      'ramps, as 10s:100,30s:500, of the rate, or of callers with --concurrency',
      parseStages,
    )
    .option('--duration <time>', 'how long calls are made (default: 10s)', parseSpan('--duration'))
    .option('--requests <n>', 'how many calls are made', parseCount('--requests', 1))
    .addOption(
      new Option('--warmup <time|n>', 'time or calls before the measurement; 0 for none')
        .argParser(parseWarmup)
        .default({ ms: 1_000 }, '1s'),
    )
    .addOption(
      new Option('--arrivals <kind>', 'evenly spaced, or random around the rate')
        .choices(['constant', 'poisson'])
        .default('constant'),
    )
    .option('--seed <n>', 'fixes the mix and random arrivals', parseCount('--seed', 0, MAX_SEED), 1)
    .option(
      '--max-outstanding <n>',
      'arrivals beyond so many calls under way are dropped and counted',
      parseCount('--max-outstanding', 1, MAX_CALLERS),
      DEFAULT_OUTSTANDING,
    )
}

function addSandbox(bench: Command): void {
  bench
    .option('--profile <name>', 'sandbox profile (default: pure, or what the config says)')
    .option(
      '--timeout <time>',
      'deadline of a call, as 1500, 1500ms or 2s',
      parseDuration('--timeout'),
    )
    .option('--memory <mb>', 'memory limit in MB', parseCount('--memory', 8, 4_096))
    .option(
      '--retries <n>',
      'further attempts after a retryable failure',
      parseCount('--retries', 0, 100),
    )
    .addOption(
      new Option('--approve <mode>', 'who answers when policy asks')
        .choices(['ask', 'always', 'never'])
        .default('never'),
    )
    .option('--config <file>', 'configuration file; options given here win')
}

function repeatable(flags: string, text: string): Option {
  return new Option(flags, `${text}; repeatable`).argParser(collect).default([], 'none')
}

const NOTES = `
Thresholds: [response.|service.|queue.|lag.]p95<20 (ms; or us, ms, s), avg, min, max;
errors<1%, dropped<=0, kills<=3, retries<10, rate>500. Exit code 99 when one fails.`
