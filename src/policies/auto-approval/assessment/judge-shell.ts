import type { JsonValue } from '../../../types/json.ts'
import { toPlace } from '../paths/place.ts'
import { isHookVariable } from '../shell/environment.ts'
import type { LineVerdict } from '../shell/judge-line.ts'
import { judgeLine } from '../shell/judge-line.ts'
import type { ShellParser } from '../shell/read-line.ts'
import type { AssessedCall } from '../types.ts'
import { fieldOf, toRecord } from './arguments.ts'
import type { ClassRequest } from './judge-class.ts'
import { judgeTarget } from './targets.ts'

export type ShellReading = NonNullable<AssessedCall['shell']>

/** Judges a call of the shell class; the line verdict is missing when there is no line to read. */
export function judgeShellCall(
  request: ClassRequest,
  parser: ShellParser,
): { readonly shell: ShellReading; readonly verdict: LineVerdict | undefined } {
  const { args, folder, ground, findings, facts } = request
  const command = fieldOf(args, 'command')
  const variables = environmentOf(fieldOf(args, 'env'))
  if (variables.some(isHookVariable)) findings.add({ code: 'ENV_HOOK', layer: 'shell' })
  const cwd = fieldOf(args, 'cwd')
  if (cwd !== undefined)
    judgeTarget(cwd, 'meta', { ground, findings, folder, layer: 'targets', plans: false })
  if (typeof command !== 'string') {
    findings.add({ code: 'BAD_ARGUMENTS', layer: 'shell' })
    return { shell: { parsed: false, line: '', segments: [] }, verdict: undefined }
  }
  const place = typeof cwd === 'string' ? toPlace([cwd], { folder, home: ground.home }) : undefined
  const verdict = judgeLine({
    text: command,
    folder: place?.literal ?? folder,
    ground,
    findings,
    parser,
    confined: facts?.confined ?? true,
    assigned: new Set(variables),
  })
  request.urls.push(...verdict.urls)
  const { parsed, segments } = verdict
  return { shell: { parsed, line: command, segments }, verdict }
}

// Lists of `NAME=value` are read like records.
function environmentOf(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((entry: JsonValue) => {
      if (typeof entry === 'string') return [entry.split('=')[0] ?? entry]
      const name = fieldOf(entry, 'name')
      return typeof name === 'string' ? [name] : []
    })
  return Object.keys(toRecord(value) ?? {})
}
