import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import { beforeAll, describe, expect, test } from 'vitest'
import { toPage } from '../../../src/load/page/to-page.ts'
import type { LoadReport } from '../../../src/load/report.ts'
import { parseThreshold } from '../../../src/load/thresholds.ts'
import { load } from '../load-rig.ts'

const HOSTILE = `</script><img src=x onerror=alert(1)>'"&\u202e`
let report: LoadReport
let page = ''

beforeAll(async () => {
  let made = 0
  const half = (): number => {
    made += 1
    if (made % 2 === 0) throw new Error(HOSTILE)
    return made
  }
  const thresholds = ['errors<1%', 'p50<10s'].map(parseThreshold)
  const given = { level: 100, requests: 40 }
  const outcome = await load({ half, whole: () => 1 }, given, { thresholds, source: HOSTILE })
  report = outcome.report
  page = await toPage(report)
})

const elements = (name: string): string[] =>
  [...page.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^]*?)</${name}>`, 'g'))].map(
    ([, content = '']) => content,
  )

describe('toPage()', () => {
  test('shows thresholds, quantiles, failures by code and where it ran', () => {
    const text = page.replaceAll(/<[^>]+>/g, ' ')
    for (const part of [
      '1 of 2 thresholds fail',
      'errors&lt;1%',
      'response time',
      'p99.9',
      'TOOL_ERROR',
      `Node ${process.versions.node}`,
      'open model: 100/s',
    ]) {
      expect(text).toContain(part)
    }
  })

  test('escapes whatever a tool or a source is called or says', () => {
    expect(page).not.toContain('<img')
    expect(page).not.toContain('\u202e')
    expect(page).toContain(
      '&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;\\u202e',
    )
    // One element of data and one of code, and nothing opened or closed another.
    expect(page.match(/<script/g)).toHaveLength(2)
    expect(page.match(/<\/script/g)).toHaveLength(2)
  })

  test('loads nothing, and lets no script and no style but its own run', () => {
    const [style = ''] = elements('style')
    const [data = '', code = ''] = elements('script')
    const markup = page.replace(code, '').replace(data, '')
    for (const tag of markup.match(/<[a-z][^>]*>/gi) ?? []) {
      expect(tag).not.toMatch(/^<(?:link|iframe|img|object|embed|base)\b|\s(?:src|href|on\w+)=/i)
    }
    expect(style).not.toMatch(/@import|url\(/)
    expect(page).not.toMatch(/https?:\/\/(?!github\.com\/leeoniya\/uPlot)/)
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(page) ?? []
    const hash = (text: string): string =>
      `&#39;sha256-${createHash('sha256').update(text).digest('base64')}&#39;`
    expect(policy).toContain('default-src &#39;none&#39;')
    expect(policy).toContain(`script-src ${hash(code)}`)
    expect(policy).toContain(`style-src ${hash(style)}`)
  })

  test('carries a chart for every question, with a place to draw it and code that parses', () => {
    const [data = '', code = ''] = elements('script')
    const charts = JSON.parse(data) as {
      id: string
      x: number[]
      series: { values: unknown[] }[]
    }[]
    expect(charts.map(({ id }) => id)).toEqual([
      'latency',
      'percentiles',
      'throughput',
      'outcomes',
      'loop',
      'memory',
    ])
    for (const { id, x, series } of charts) {
      expect(page).toContain(`id="chart-${id}"`)
      expect(x.length).toBeGreaterThan(0)
      for (const { values } of series) expect(values).toHaveLength(x.length)
    }
    expect(() => new Script(code)).not.toThrow()
  })
})
