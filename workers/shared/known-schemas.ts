/** The schemas that a source's tools were described with, as JSON text by tool name. */
export type KnownSchemas = Readonly<Record<string, string>>

/**
 * Reads them from the rows of a description (manifest-row.ts), which say nothing that is not the
 * source's own; what is no row is left out. Never throws.
 */
export function toKnownSchemas(rows: unknown): KnownSchemas {
  const known: [string, string][] = []
  for (const row of Array.isArray(rows) ? (rows as unknown[]) : []) {
    const { name, parameters, outputSchema, defined } = Object(row) as Record<string, unknown>
    if (typeof name !== 'string' || defined !== true) continue
    if (parameters === undefined || outputSchema === undefined) continue
    known.push([name, JSON.stringify({ parameters, schema: outputSchema })])
  }
  return Object.fromEntries(known)
}
