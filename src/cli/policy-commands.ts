import { Option, type Command } from 'commander'
import { runApprove } from './approve.ts'
import { runExplain } from './explain.ts'
import { runHistory } from './history.ts'
import { runInit } from './init.ts'
import { runMcpApprove } from './mcp.ts'
import type { Output } from './output.ts'
import { parseCount, parseTime } from './parse-option.ts'
import { runPolicyTest } from './policy.ts'

/** Adds the commands about configuration and decisions. */
export function addPolicyCommands(
  program: Command,
  output: Output,
  exit: (code: number) => void,
): void {
  program
    .command('explain')
    .description('say what would decide a call, without running or asking anything')
    .argument('<tool>', 'name of the tool')
    .option('--args <json>', 'arguments as JSON, @file, or - for standard input', '{}')
    .option('--workspace <dir>', 'folder that relative paths are resolved against')
    .option('--config <file>', 'configuration file')
    .option('--json', 'print exactly one JSON object')
    .action(async (tool: string, options) => exit(await runExplain(output, { tool, ...options })))
  const policy = program.command('policy').description('work on declared rules')
  policy
    .command('test')
    .description('run samples against declared rules; exits 1 when one has another verdict')
    .argument('<file>', 'samples, or rules and samples, as JSON; comments are allowed')
    .option('--config <file>', 'configuration file with the rules')
    .option('--workspace <dir>', 'folder that relative paths are resolved against')
    .option('--json', 'print exactly one JSON object')
    .action(async (file: string, options) =>
      exit(await runPolicyTest(output, { file, ...options })),
    )
  program
    .command('history')
    .description('list recorded decisions, oldest first')
    .option('--tool <name>', 'of this tool')
    .addOption(
      new Option('--outcome <outcome>', 'that ended so').choices([
        'allowed',
        'denied',
        'cancelled',
        'unavailable',
      ]),
    )
    .option('--source <source>', 'by what decided, such as human-allow or rule-deny')
    .option('--session <id>', 'of this session')
    .option('--since <time>', 'not older than this ISO 8601 time', parseTime('--since'))
    .option('--limit <n>', 'the newest so many (default: 50)', parseCount('--limit', 1, 100_000))
    .option('--config <file>', 'configuration file, for its state folder')
    .option('--json', 'print exactly one JSON object')
    .action((options) => exit(runHistory(output, options)))
  program
    .command('approve')
    .description('approve what sources are now, for loads with "pin": "approved"')
    .argument('[source...]', 'module files, package folders or commands; all of the configuration')
    .option('--profile <name>', 'sandbox profile they are approved for')
    .option('--config <file>', 'configuration file: sources, profiles, state folder')
    .option('--json', 'print exactly one JSON object')
    .action(async (sources: string[], options) =>
      exit(await runApprove(output, { sources, ...options })),
    )
  const mcp = program.command('mcp').description('work on wrapped MCP servers')
  mcp
    .command('approve')
    .description('approve what a server says of its tools now, after it has changed it')
    .argument('<server>', 'its name in the configuration')
    .option('--config <file>', 'configuration file, for its state folder')
    .option('--json', 'print exactly one JSON object')
    .action((server: string, options) => exit(runMcpApprove(output, server, options)))
  program
    .command('init')
    .description('write a commented configuration file')
    .argument('[file]', 'where to', 'caisson.config.json')
    .option('--json', 'print exactly one JSON object')
    .action((file: string) => exit(runInit(output, file)))
}
