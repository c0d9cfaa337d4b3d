import { Command, CommanderError, Option } from 'commander'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { addBench } from './bench-command.ts'
import { runCheck } from './check.ts'
import { addCompletion } from './completion.ts'
import { runDoctor } from './doctor.ts'
import { exitCodeOf } from './exit-code.ts'
import { runList } from './list.ts'
import { createOutput, type Output } from './output.ts'
import { parseCount, parseDuration } from './parse-option.ts'
import { addPolicyCommands } from './policy-commands.ts'
import { runProfiles } from './profiles.ts'
import { runReplay } from './replay.ts'
import { runTool } from './run.ts'
import { toolsOption } from './tools-option.ts'
import { version } from '../host/version.ts'
import { LOG_LEVELS } from '../observe/log-level.ts'

/** Runs one command line and resolves to the exit code that `--help` lists. Never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  const output = createOutput({ json: argv.includes('--json') })
  let code = 0
  const program = createProgram(output, (given) => (code = given))
  try {
    if (argv.length === 0) {
      output.note(program.helpInformation() + EXIT_CODES)
      return 2
    }
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    return reportError(error, output)
  }
}

function createProgram(output: Output, exit: (code: number) => void): Command {
  const program = new Command('caisson')
    .description('Runs tools that nobody has vetted, in a sandbox, under policy.')
    .version(version())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .showHelpAfterError(false)
    .addHelpText('after', EXIT_CODES)
  program
    .command('run')
    .description('run one tool call through the whole pipeline')
    .argument('[source]', 'module file or package folder; or a tool of --tools or --config')
    .argument('[tool]', 'tool name; may be left out when there is one tool')
    .addOption(toolsOption())
    .option('--args <json>', 'arguments as JSON, @file, or - for standard input', '{}')
    .option('--profile <name>', 'sandbox profile (default: pure, or what the config says)')
    .option('--timeout <time>', 'deadline, as 1500, 1500ms or 2s', parseDuration('--timeout'))
    .option('--memory <mb>', 'memory limit in MB', parseCount('--memory', 8, 4_096))
    .option(
      '--retries <n>',
      'further attempts after a retryable failure',
      parseCount('--retries', 0, 100),
    )
    .addOption(approveOption('who answers when policy asks'))
    .option('--session <file>', 'append the events of the call to this JSONL log')
    .option('--workspace <dir>', 'folder that sources are resolved against')
    .option('--config <file>', 'configuration file; options given here win')
    .option('--json', 'print exactly one JSON object')
    .action(async (source: string | undefined, tool: string | undefined, options) =>
      exit(await runTool(output, { source, tool, ...options })),
    )
  program
    .command('list')
    .description('list the tools of sources')
    .argument('[source...]', 'module files or package folders')
    .addOption(toolsOption())
    .option('--profile <name>', 'sandbox profile of the sources named here (default: pure)')
    .option('--config <file>', 'configuration file; what it loads is listed too')
    .option('--json', 'print exactly one JSON object')
    .action(async (sources: string[], options) =>
      exit(await runList(output, { sources, ...options })),
    )
  program
    .command('check')
    .description('check tools against the contract; runs each body up to three times')
    .argument('<source...>', 'module files or package folders')
    .option('--profile <name>', 'sandbox profile', 'pure')
    .option('--tool <name>', 'only the tool of this name')
    .option('--args <json>', 'arguments for that tool as JSON, @file, or - for standard input')
    .option(
      '--timeout <time>',
      'when a call that still runs is aborted',
      parseDuration('--timeout'),
    )
    .option('--json', 'print exactly one JSON object')
    .action(async (sources: string[], options) =>
      exit(await runCheck(output, { sources, ...options })),
    )
  program
    .command('serve')
    .description('serve tools to MCP clients, over standard input and output or over HTTP')
    .argument('[source...]', 'module files or package folders')
    .addOption(toolsOption())
    .option('--http <address>', 'streamable HTTP at [host:]port instead (default host: 127.0.0.1)')
    .option('--metrics', 'Prometheus metrics at /metrics of the HTTP server')
    .option('--metrics-http <address>', 'Prometheus metrics at [host:]port of their own')
    .addOption(new Option('--log-level <level>', 'log lines (JSON)').choices(LOG_LEVELS))
    .option('--profile <name>', 'sandbox profile of the sources named here')
    .addOption(approveOption('who answers when policy asks; ask puts it to the client'))
    .option('--session <file>', 'append the events of all calls to this JSONL log')
    .option('--workspace <dir>', 'folder that sources are resolved against')
    .option('--config <file>', 'configuration file: sources, profiles, approval, serve')
    .action(async (sources: string[], options) => {
      // No other command needs the protocol, which takes a while to load.
      const { runServe } = await import('./serve.ts')
      exit(await runServe(output, { sources, ...options }))
    })
  addBench(program, output, exit)
  program
    .command('doctor')
    .description('fire every limit on this machine; exits 1 when one has a hole')
    .argument('[profile]', 'also: can this profile be kept here? A name, or a .json file')
    .option('--quick', 'leave out what takes seconds')
    .option('--config <file>', 'configuration file, for its profiles')
    .option('--json', 'print exactly one JSON object')
    .action(async (profile: string | undefined, options) =>
      exit(await runDoctor(output, { ...options, ...(profile === undefined ? {} : { profile }) })),
    )
  addPolicyCommands(program, output, exit)
  program
    .command('profiles')
    .description('list the sandbox profiles, or explain one')
    .argument('[name]')
    .option('--config <file>', 'configuration file, for its profiles')
    .option('--json', 'print exactly one JSON object')
    .action((name: string | undefined, options) => exit(runProfiles(output, name, options)))
  program
    .command('replay')
    .description('draw the cards of a recorded session, without running anything')
    .argument('<log>', 'session log in JSONL')
    .option('--json', 'print exactly one JSON object')
    .action((log: string) => exit(runReplay(output, log)))
  addCompletion(program, output, exit)
  for (const command of program.commands) {
    command
      .exitOverride()
      .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
  }
  return program
}

function approveOption(text: string): Option {
  return new Option('--approve <mode>', text).choices(['ask', 'always', 'never']).default('ask')
}

const EXIT_CODES = `
Exit codes: 0 success, 1 the call failed, 2 usage, config or load error, 3 denied,
4 deadline, 5 the sandbox is not available, 99 a threshold failed, 130 interrupted.`

function reportError(error: unknown, output: Output): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0
    const unknown = error.code === 'commander.help'
    const text = unknown ? 'there is no such command' : error.message.replace(/^error: /, '')
    output.failure(new CaissonError('CONFIG_INVALID', `${text}; see caisson --help`))
    return 2
  }
  if (isCaissonError(error)) {
    output.failure(error)
    return exitCodeOf(error.code)
  }
  const text = error instanceof Error ? error.message : String(error)
  output.failure(new CaissonError('CONFIG_INVALID', `unexpected error: ${text}`))
  return 2
}
