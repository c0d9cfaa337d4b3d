import { isHookVariable, isSecretVariable } from '../environment.ts'
import type { Families, Segment } from '../segment.ts'
import { isDynamic, joinWords, restOf, startOf, textOf } from '../shell-word.ts'

/** Builtins that change what commands, variables or the shell mean, and printers of the environment. */
export const REDEFINE: Families = {
  ...Object.fromEntries(
    ['unalias', 'hash', 'enable', 'shopt', 'bind', 'complete', 'compopt', 'unset'].map((name) => [
      name,
      name === 'unset' ? judgeUnset : redefines,
    ]),
  ),
  alias: judgeAlias,
  trap: judgeTrap,
  set: judgeSet,
  export: judgeDeclare,
  declare: judgeDeclare,
  typeset: judgeDeclare,
  readonly: judgeDeclare,
  local: judgeDeclare,
  eval: judgeEval,
  printenv: judgePrintenv,
  mapfile: judgeText,
  readarray: judgeText,
}

function redefines(segment: Segment): void {
  segment.mark('other')
  segment.add('REDEFINES')
}

function judgeText(segment: Segment): void {
  segment.mark('text')
  segment.settle('TEXT_ONLY')
}

function judgeUnset(segment: Segment): void {
  if (segment.args.some((word) => isHookVariable(textOf(word) ?? ''))) segment.add('ENV_HOOK')
  if (segment.args.some((word) => textOf(word) === '-f')) segment.add('REDEFINES')
  judgeText(segment)
}

function judgeAlias(segment: Segment): void {
  redefines(segment)
  for (const word of segment.args) {
    const at = startOf(word).indexOf('=')
    if (at > 0) segment.nest(restOf(word, at + 1))
  }
}

function judgeTrap(segment: Segment): void {
  redefines(segment)
  const [first] = segment.args.filter((word) => !/^-[lp]$|^--$/.test(textOf(word) ?? ''))
  if (first !== undefined && textOf(first) !== '-') segment.nest(first)
}

function judgeEval(segment: Segment): void {
  segment.mark('other')
  segment.add('INLINE_SOURCE')
  const words = textOf(segment.args[0]) === '--' ? segment.args.slice(1) : segment.args
  if (words.length > 0) segment.nest(joinWords(words))
}

function judgeSet(segment: Segment): void {
  const { args } = segment
  if (args.length === 0) return dumps(segment)
  let plain = true
  for (const [index, word] of args.entries()) {
    const text = textOf(word)
    if (text === 'pipefail' && /^[-+][eux]*o$/.test(textOf(args[index - 1]) ?? '')) continue
    if (text === undefined || !/^[-+][eux]*o?$/.test(text) || text.length < 2) plain = false
  }
  if (!plain) return redefines(segment)
  judgeText(segment)
}

function judgeDeclare(segment: Segment): void {
  const { args, name } = segment
  const flags = args.flatMap((word) => (startOf(word).startsWith('-') ? [startOf(word)] : []))
  const names = args.filter((word) => !startOf(word).startsWith('-'))
  if (names.some((word) => isHookVariable(startOf(word).split(/\+?=/)[0] ?? '')))
    segment.add('ENV_HOOK')
  // A name that is not known can be any variable.
  if (names.some((word) => isDynamic(word) && !startOf(word).includes('='))) segment.add('ENV_HOOK')
  if (flags.some((flag) => /^-\w*[fF]/.test(flag))) segment.add('REDEFINES')
  const prints =
    flags.some((flag) => /^-\w*p/.test(flag)) || (names.length === 0 && name !== 'local')
  const exported = name === 'export' || flags.some((flag) => /^-\w*[px]/.test(flag))
  if (names.length === 0 && prints && exported) return dumps(segment)
  judgeText(segment)
}

function judgePrintenv(segment: Segment): void {
  const names = segment.args.filter((word) => !startOf(word).startsWith('-'))
  if (names.length === 0 || names.some(isDynamic)) return dumps(segment)
  if (names.some((word) => isSecretVariable(textOf(word) ?? ''))) segment.add('SECRET_VAR')
  judgeText(segment)
}

function dumps(segment: Segment): void {
  segment.mark('other')
  segment.add('ENV_DUMP')
  segment.event('dump')
}
