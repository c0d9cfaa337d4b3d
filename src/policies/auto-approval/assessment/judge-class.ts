import type { JsonValue } from '../../../types/json.ts'
import type { AssessorSettings, ToolDescriptor, ToolFacts } from '../assessor-types.ts'
import type { Ground } from '../paths/ground.ts'
import { literalPlace, toPlace } from '../paths/place.ts'
import { namesProtected, namesSecret } from '../paths/names.ts'
import type { PathRole } from '../paths/judge.ts'
import { isMetadataUrl, parseUrl } from '../urls.ts'
import { fieldOf, valuesAt } from './arguments.ts'
import type { Findings } from './findings.ts'
import type { TargetLook } from './targets.ts'
import { judgeTarget } from './targets.ts'

/** A call of a class that is no shell, while it is judged. */
export interface ClassRequest {
  readonly name: string
  readonly args: JsonValue
  readonly folder: string
  readonly descriptor: ToolDescriptor
  readonly facts: ToolFacts | undefined
  readonly ground: Ground
  readonly findings: Findings
  readonly urls: string[]
}

const MAX_TARGETS = 1024

/** Judges a call by its class. False when the class is none of these. */
export function judgeClass(request: ClassRequest): boolean {
  switch (request.descriptor.class) {
    case 'read':
      judgeReads(request)
      return true
    case 'search':
      judgeSearch(request)
      return true
    case 'write':
    case 'edit':
    case 'patch':
      judgeWrites(request)
      return true
    case 'editor':
      judgeEditor(request)
      return true
    case 'fetch':
      judgeFetch(request)
      return true
    default:
      return judgeFixed(request)
  }
}

function judgeFixed({ name, descriptor, facts, findings }: ClassRequest): boolean {
  const code = fixedCode(name, descriptor.class, facts)
  if (code !== undefined) findings.add({ code, layer: 'targets' })
  return code !== undefined
}

function fixedCode(name: string, kind: string, facts: ToolFacts | undefined): string | undefined {
  switch (kind) {
    case 'foreign shell':
      return 'FOREIGN_SHELL'
    case 'terminal':
      return 'LIVE_TERMINAL'
    case 'send':
      return name === 'git_push' ? 'GIT_PUSH' : 'PUBLISH'
    case 'session':
    case 'delegate':
    case 'pure':
      return 'INTERNAL'
    case 'code':
      return facts?.engine === 'isolate' ? 'CODE_IN_ISOLATE' : 'CODE_LOAD'
    case 'load':
      return 'CODE_LOAD'
    default:
      return undefined
  }
}

function look(request: ClassRequest, plans: boolean): TargetLook {
  const { ground, findings } = request
  return { ground, findings, folder: baseOf(request), layer: 'targets', plans }
}

// A call can name the folder that its other paths are relative to.
function baseOf({ args, descriptor, folder, ground }: ClassRequest): string {
  const cwd = descriptor.paths?.includes('cwd') === true ? fieldOf(args, 'cwd') : undefined
  if (typeof cwd !== 'string') return folder
  return toPlace([cwd], { folder, home: ground.home })?.literal ?? folder
}

function judgeReads(request: ClassRequest): void {
  const { descriptor, args, findings } = request
  const codes: string[] = []
  const paths = descriptor.paths ?? []
  for (const path of paths.filter((one) => one !== 'cwd'))
    for (const value of valuesAt(args, path))
      if (value !== undefined) codes.push(...judgeTarget(value, 'read', look(request, false)))
  const cwd = paths.includes('cwd') ? fieldOf(args, 'cwd') : undefined
  if (cwd !== undefined)
    codes.push(...judgeTarget(cwd, 'meta', { ...look(request, false), folder: request.folder }))
  if (codes.length === 0) findings.add({ code: 'ROUTINE_READ', layer: 'targets' })
}

// Contents are clean: the search itself passes over secret names unless its root is one.
function judgeSearch(request: ClassRequest): void {
  const { descriptor, args, findings, folder } = request
  const given = (descriptor.paths ?? []).flatMap((path) => valuesAt(args, path))
  const roots = given.filter((value) => value !== undefined)
  const codes: string[] = []
  for (const root of roots.length > 0 ? roots : [folder]) {
    codes.push(...judgeTarget(root, 'meta', look(request, false)))
    if (typeof root !== 'string') continue
    for (const code of rootCodes(root, request)) {
      findings.add({ code, layer: 'targets' })
      codes.push(code)
    }
  }
  if (codes.length === 0) findings.add({ code: 'ROUTINE_READ', layer: 'targets' })
}

function rootCodes(root: string, { ground, folder }: ClassRequest): readonly string[] {
  const place = toPlace([root], { folder, home: ground.home })
  if (place?.literal === undefined) return []
  const found = ground.resolver.resolve(place.literal)
  const looks = [
    place.segments,
    ...(found.kind === 'resolved' ? [literalPlace(found.path).segments] : []),
  ]
  return [
    ...(looks.some((segments) => namesSecret(segments)) ? ['SECRET_READ'] : []),
    ...(looks.some((segments) => namesProtected(segments, ground.protectedNames))
      ? ['PROTECTED_READ']
      : []),
  ]
}

function judgeWrites(request: ClassRequest): void {
  const { descriptor, args } = request
  const values = (descriptor.paths ?? []).flatMap((path) => valuesAt(args, path))
  judgeWritten(values, request, descriptor.class !== 'edit')
}

function judgeWritten(
  values: readonly (JsonValue | undefined)[],
  request: ClassRequest,
  plans: boolean,
): void {
  const { findings } = request
  if (values.length === 0 || values.length > MAX_TARGETS) {
    findings.add({ code: 'TARGET_UNREADABLE', layer: 'targets' })
    return
  }
  const codes = values.flatMap((value) => judgeTarget(value, 'write', look(request, plans)))
  if (codes.length === 0) findings.add({ code: 'ROUTINE_WRITE', layer: 'targets' })
}

const EDITOR_ROLES: ReadonlyMap<string, PathRole> = new Map([
  ['view', 'read'],
  ['create', 'write'],
  ['str_replace', 'write'],
  ['insert', 'write'],
])

function judgeEditor(request: ClassRequest): void {
  const { args, findings, descriptor } = request
  const command = fieldOf(args, 'command')
  const role = typeof command === 'string' ? EDITOR_ROLES.get(command) : undefined
  if (role === undefined) {
    findings.add({ code: 'BAD_ARGUMENTS', layer: 'targets' })
    return judgeUnknownEdit(request)
  }
  if (role === 'read') return judgeReads(request)
  const values = (descriptor.paths ?? []).flatMap((path) => valuesAt(args, path))
  judgeWritten(values, request, command === 'create')
}

// A command that the editor does not have could be any.
function judgeUnknownEdit(request: ClassRequest): void {
  const { args, descriptor } = request
  for (const path of descriptor.paths ?? [])
    for (const value of valuesAt(args, path))
      if (value !== undefined) judgeTarget(value, 'unknown', look(request, false))
}

function judgeFetch({ args, name, ground, findings, urls }: ClassRequest): void {
  const url = fieldOf(args, 'url')
  if (typeof url === 'string') {
    urls.push(url)
    findings.look({ role: 'unknown', url })
    if (isMetadataUrl(url)) findings.add({ code: 'METADATA_ENDPOINT', layer: 'targets' })
  }
  const searches =
    name === 'web_search' || (typeof url === 'string' && isTrusted(url, ground.settings))
  findings.add({ code: searches ? 'SEARCH_WEB' : 'NETWORK', layer: 'targets' })
}

function isTrusted(text: string, settings: AssessorSettings): boolean {
  const url = parseUrl(text)
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false
  const host = url.hostname.replace(/\.$/, '').toLowerCase()
  return settings.trustedHosts.some((trusted) => trusted.toLowerCase() === host)
}
