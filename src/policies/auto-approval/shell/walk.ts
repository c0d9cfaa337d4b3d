import type {
  AndOr,
  Case,
  Command,
  CompoundCommand,
  CompoundList,
  Coproc,
  For,
  Function as ShellFunction,
  PipelineNode,
  Redirected,
  Select,
  Statement,
  SyntaxNode,
} from 'unbash'
import { forEachChild } from 'unbash'
import type { Reading } from '../paths/atoms.ts'
import { eitherFolder } from './folders.ts'
import { isForkBomb } from './fork-bomb.ts'
import type { Context } from './line.ts'
import { addCode, MAX_COMMANDS } from './line.ts'
import { judgeRedirects, stdinOf } from './redirects.ts'
import { printedBy } from './printed-text.ts'
import { createSegment, INERT } from './segment.ts'
import { textWord } from './shell-word.ts'
import { judgeTest } from './test-command.ts'
import { toShellWords } from './words.ts'

/** Judges one simple command; given by the caller, since commands hold text that is walked again. */
export type JudgeCommand = (command: Command, context: Context) => void

/** Walks every command of a list at any depth, in order, keeping track of folders and pipelines. */
export function walkStatements(
  statements: readonly Statement[],
  context: Context,
  judge: JudgeCommand,
): void {
  for (const statement of statements) walkStatement(statement, context, judge)
}

function walkStatement(
  { command, background }: Statement,
  context: Context,
  judge: JudgeCommand,
): void {
  const before = context.place.folders
  if (command.type === 'AndOr') walkChain(command, context, judge)
  else walkNode(command, context, judge)
  // Whether a `cd` worked, and whether it ran here at all, is not known after its statement.
  const after = context.place.folders
  context.place.folders =
    background === true || after !== before ? eitherFolder(before, after) : after
}

function walkChain({ commands, operators }: AndOr, context: Context, judge: JudgeCommand): void {
  let all = context.place.folders
  for (const [index, node] of commands.entries()) {
    const before = context.place.folders
    walkNode(node, context, judge)
    const after = context.place.folders
    if (after !== before) all = eitherFolder(all, after)
    if (operators[index] === '||' && after !== before)
      context.place.folders = eitherFolder(before, after)
  }
  context.place.folders = eitherFolder(all, context.place.folders)
}

function walkNode(node: PipelineNode | CompoundList, context: Context, judge: JudgeCommand): void {
  if (node.type === 'Command') return walkCommand(node, context, judge)
  if (node.type === 'Pipeline') {
    const [only, more] = node.commands
    if (only !== undefined && more === undefined) return walkNode(only, context, judge)
    context.line.counter += 1
    const pipe = context.line.counter
    for (const [index, member] of node.commands.entries()) {
      const pipes = [...context.pipes, { pipe, index }]
      const stdin = index === 0 ? context.stdin : pipeFrom(node.commands[index - 1])
      walkNode(member, { ...subshell(context), pipes, stdin }, judge)
    }
    return
  }
  if (node.type === 'Function') return walkFunction(node, context, judge)
  if (node.type === 'Coproc') return walkCoproc(node, context, judge)
  if (node.type === 'Redirected') return walkRedirected(node, context, judge)
  if (node.type === 'CompoundList') return walkStatements(node.commands, context, judge)
  walkCompound(node, context, judge)
}

// What a literal `echo` prints is known where it arrives.
function pipeFrom(source: PipelineNode | undefined): Context['stdin'] {
  const printed = source?.type === 'Command' ? printedBy(source) : undefined
  return printed === undefined ? { kind: 'pipe' } : { kind: 'pipe', text: textWord(printed) }
}

function walkCommand(node: Command, context: Context, judge: JudgeCommand): void {
  const { line } = context
  line.counter += 1
  if (line.counter > MAX_COMMANDS) return addCode(line, 'UNPARSABLE')
  judge(node, context)
}

/** Commands that stand in the words of something else: substitutions at any depth. */
export function walkSubstitutions(node: SyntaxNode, context: Context, judge: JudgeCommand): void {
  forEachChild(node, (child) => {
    if (child.type === 'Script') {
      const kind =
        node.type === 'ProcessSubstitution' && node.operator === '>' ? 'pipe' : 'inherited'
      const inner = {
        ...subshell(context),
        stdin: kind === 'pipe' ? ({ kind } as const) : context.stdin,
      }
      walkStatements(child.commands, inner, judge)
    } else walkSubstitutions(child, context, judge)
  })
}

function walkCompound(node: CompoundCommand, context: Context, judge: JudgeCommand): void {
  switch (node.type) {
    case 'If':
      walkStatements(node.clause.commands, context, judge)
      walkBranch(node.then, context, judge)
      for (const { clause, then } of node.elif) {
        walkStatements(clause.commands, context, judge)
        walkBranch(then, context, judge)
      }
      if (node.else !== undefined) walkBranch(node.else, context, judge)
      return
    case 'For':
    case 'Select':
      return walkFor(node, context, judge)
    case 'While':
    case 'ArithmeticFor':
      if (node.type === 'ArithmeticFor') walkOutside(node, node.body, context, judge)
      return walkLoop(
        node.type === 'While' ? [node.clause, node.body] : [node.body],
        context,
        judge,
      )
    case 'Case':
      return walkCase(node, context, judge)
    case 'Subshell':
      return walkStatements(node.body.commands, subshell(context), judge)
    case 'BraceGroup':
      return walkStatements(node.body.commands, context, judge)
    case 'TestCommand':
      walkSubstitutions(node, context, judge)
      return judgeTest(node.expression, context)
    case 'ArithmeticCommand':
      return walkSubstitutions(node, context, judge)
  }
}

function walkBranch(list: CompoundList, context: Context, judge: JudgeCommand): void {
  const before = context.place.folders
  walkStatements(list.commands, context, judge)
  context.place.folders = eitherFolder(before, context.place.folders)
}

function walkFor(node: For | Select, context: Context, judge: JudgeCommand): void {
  for (const word of node.wordlist ?? []) walkSubstitutions(word, context, judge)
  const readings = itemsOf(node, context)
  const known = readings.length > 0 && node.type === 'For'
  const loops = new Map(context.scope.loops)
  if (known) loops.set(node.name.value, readings)
  else loops.delete(node.name.value)
  walkLoop([node.body], { ...context, scope: { ...context.scope, loops } }, judge)
}

// Without a list a loop goes over the parameters.
function itemsOf({ wordlist }: For | Select, { scope }: Context): readonly Reading[] {
  if (wordlist === undefined) return scope.positional?.slice(1) ?? []
  return wordlist
    .flatMap((word) => toShellWords(word, scope))
    .flatMap((word) => [word.atoms, ...word.alternatives])
}

// The second round starts wherever the first one ended.
function walkLoop(lists: readonly CompoundList[], context: Context, judge: JudgeCommand): void {
  context.line.counter += 1
  const inner = { ...context, loops: [...context.loops, context.line.counter] }
  const before = context.place.folders
  for (const list of lists) walkStatements(list.commands, inner, judge)
  const after = context.place.folders
  if (after === before) return
  context.place.folders = { ...eitherFolder(before, after), unknown: true }
  for (const list of lists) walkStatements(list.commands, inner, judge)
  context.place.folders = { ...eitherFolder(before, context.place.folders), unknown: true }
}

function walkCase(node: Case, context: Context, judge: JudgeCommand): void {
  walkSubstitutions(node.word, context, judge)
  for (const { pattern, body } of node.items) {
    for (const word of pattern) walkSubstitutions(word, context, judge)
    walkBranch(body, context, judge)
  }
}

function walkOutside(
  node: SyntaxNode,
  body: CompoundList,
  context: Context,
  judge: JudgeCommand,
): void {
  forEachChild(node, (child) => {
    if (child !== body) walkSubstitutions(child, context, judge)
  })
}

function walkFunction(node: ShellFunction, context: Context, judge: JudgeCommand): void {
  addCode(context.line, 'REDEFINES')
  context.line.kinds.push('other')
  if (isForkBomb(node.name.value, node.body)) addCode(context.line, 'FORK_BOMB')
  const scope = { ...context.scope, positional: undefined }
  const before = context.place.folders
  walkNode(node.body, { ...context, scope, deferred: true }, judge)
  // Nobody knows from where it will be called.
  if (context.place.folders !== before)
    context.place.folders = { ...eitherFolder(before, context.place.folders), unknown: true }
}

function walkCoproc(node: Coproc, context: Context, judge: JudgeCommand): void {
  context.line.counter += 1
  const pipes = [...context.pipes, { pipe: context.line.counter, index: 0 }]
  const inner: Context = { ...subshell(context), pipes, stdin: { kind: 'pipe' } }
  walkNode(node.body, inner, judge)
}

function walkRedirected(node: Redirected, context: Context, judge: JudgeCommand): void {
  const { line } = context
  line.counter += 1
  const command = line.counter
  for (const redirect of node.redirects)
    walkSubstitutions(redirect, { ...context, inside: [...context.inside, command] }, judge)
  const segment = createSegment({
    name: '',
    args: [],
    context,
    command,
    ...INERT,
  })
  judgeRedirects(node.redirects, segment)
  walkNode(node.command, { ...context, stdin: stdinOf(node.redirects, context) }, judge)
}

function subshell(context: Context): Context {
  return { ...context, place: { folders: context.place.folders } }
}
