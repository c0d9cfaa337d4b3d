/** Samples of a scrape, by metric and labels as they stand: `name{tool="a"}`. */
export type Samples = ReadonlyMap<string, number>

const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\}))?)+\})? (NaN|[+-]Inf|[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)$/

/** Reads the text format 0.0.4 to the letter. Throws for anything else. */
export function parseExposition(text: string): Samples {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const samples = new Map<string, number>()
  const kinds = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue
    const [, family, kind] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? []
    if (family !== undefined && kind !== undefined) {
      if (kinds.has(family)) throw new Error(`${family} is declared twice`)
      kinds.set(family, kind)
      continue
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    if (name === '') throw new Error(`no sample: ${line}`)
    const of = kinds.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '')
    if (!kinds.has(of)) throw new Error(`${name} is not declared`)
    if (samples.has(name + labels)) throw new Error(`${name}${labels} is there twice`)
    samples.set(name + labels, Number(value.replace('Inf', 'Infinity')))
  }
  return samples
}
