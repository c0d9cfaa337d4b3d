import { setImmediate } from 'node:timers/promises'
import { CaissonError, isCaissonError } from '../errors/caisson-error.ts'
import { parseDefinition, toViolations } from '../registry/parse-definition.ts'
import { fieldsOfManifest } from '../registry/read-definition.ts'
import type { Registration } from '../registry/registration.ts'
import type { ToolManifest } from '../types/engine.ts'

/** What a registration holds besides its definition. */
export type Rest = Pick<Registration, 'operator' | 'source' | 'format' | 'body'>

/** Main thread time that the schemas of one source may cost. */
const SCHEMA_BUDGET_MS = 2_000

/** All tools of a source, or one `LOAD_FAILED` that lists what is wrong with each of them. */
export async function toRegistrations(
  manifests: readonly ToolManifest[],
  rest: (manifest: ToolManifest) => Rest,
): Promise<Registration[]> {
  const violations: string[] = []
  const causes = new Set<string>()
  const registrations: Registration[] = []
  let spent = 0
  for (const manifest of manifests) {
    const begun = process.threadCpuUsage()
    try {
      const parsed = parseDefinition(fieldsOfManifest(manifest), { checkArguments: true })
      registrations.push({ ...parsed, ...rest(manifest) })
    } catch (error) {
      if (!isCaissonError(error)) throw error
      causes.add(error.code)
      violations.push(...toViolations(error).map((text) => `tool '${manifest.name}': ${text}`))
    }
    spent += process.threadCpuUsage(begun).user / 1_000
    // Compiling is the author's choice and the host's time: bounded, and not all at once.
    if (spent > SCHEMA_BUDGET_MS) throw tooMuchToCompile()
    await setImmediate()
  }
  if (violations.length === 0) return registrations
  const [cause = 'CONFIG_INVALID'] = causes
  throw new CaissonError('LOAD_FAILED', violations.join('; '), { violations, cause })
}

function tooMuchToCompile(): CaissonError {
  const text = `its tools have schemas that take more than ${SCHEMA_BUDGET_MS} ms to compile`
  return new CaissonError('LOAD_FAILED', text, { violations: [text] })
}
