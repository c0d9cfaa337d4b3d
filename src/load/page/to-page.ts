import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { LoadReport } from '../report.ts'
import { describeLoad, showMs, showRate } from '../words.ts'
import type { Chart } from './chart.ts'
import { clientScript } from './client.ts'
import { html, jsonForScript, trusted, type Markup } from './markup.ts'
import { STYLE } from './style.ts'
import { factTable, failureTable, latencyTable, thresholdTable, toolTable } from './tables.ts'
import { toCharts } from './to-charts.ts'

/**
 * The report as one page that loads nothing. Whatever a tool said in it is text; a policy in the page
 * lets no script run but its own.
 */
export async function toPage(report: LoadReport): Promise<string> {
  const { plot, plotStyle } = await readPlot()
  const script = `${plot}\n${clientScript()}`
  const style = `${plotStyle}\n${STYLE}`
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`
  const charts = toCharts(report)
  const title = `Load test: ${report.tools.map(({ tool }) => tool).join(', ')}`
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${element('style', style)}
      </head>
      <body>
        ${header(report, title)}
        <main>
          ${warnings(report)} ${thresholdTable(report)} ${tiles(report)}
          <div class="charts">${charts.map(figure)}</div>
          <noscript>
            <section>The charts need scripts; the tables hold all figures that matter.</section>
          </noscript>
          ${latencyTable(report)} ${toolTable(report)} ${failureTable(report)} ${factTable(report)}
        </main>
        <script type="application/json" id="charts">
          ${jsonForScript(charts)}
        </script>
        ${element('script', script)}
      </body>
    </html> `
  return page.text
}

async function readPlot(): Promise<{ plot: string; plotStyle: string }> {
  const require = createRequire(import.meta.url)
  const [plot, plotStyle] = await Promise.all([
    readFile(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8'),
    readFile(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
  ])
  return { plot, plotStyle }
}

// Its content is hashed: not a space may be added to it.
function element(name: 'style' | 'script', content: string): Markup {
  return trusted(`<${name}>${content}</${name}>`)
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function header(report: LoadReport, title: string): Markup {
  const { thresholds, interrupted, source, startedAt } = report
  const failed = thresholds.filter(({ ok }) => !ok).length
  const verdict =
    failed === 0
      ? html`<span class="good">all ${thresholds.length} thresholds hold</span> · `
      : html`<span class="bad">${failed} of ${thresholds.length} thresholds fail</span> · `
  return html`<header>
    <h1>${title}</h1>
    <p>
      ${thresholds.length === 0 ? html`` : verdict}${interrupted ? html`<span class="bad">interrupted</span> · ` : html``}${describeLoad(report)}
    </p>
    <p class="quiet">${source} · ${startedAt}</p>
  </header>`
}

function warnings(report: LoadReport): Markup {
  if (report.warnings.length === 0) return html``
  const items = report.warnings.map((warning) => html`<li>${warning}</li>`)
  return html`<section class="warnings">
    <h2>Before you trust the figures</h2>
    <ul>
      ${items}
    </ul>
  </section>`
}

function tiles({ latency, rate, calls, engine }: LoadReport): Markup {
  const { response } = latency
  const errors = calls.failed + calls.dropped
  const share = calls.ok + errors === 0 ? 0 : (100 * errors) / (calls.ok + errors)
  const shown = (ms: number): string => (response.count === 0 ? '–' : showMs(ms))
  return html`<div class="tiles">
    ${tile('response p50', shown(response.p50), 'ms')}
    ${tile('response p95', shown(response.p95), 'ms')}
    ${tile('response p99', shown(response.p99), 'ms')}
    ${tile('achieved', showRate(rate.achieved).replace('/s', ''), '/s')}
    ${tile('errors', share.toFixed(2), '%')} ${tile('kills', `${engine.kills}`, '')}
  </div>`
}

function tile(label: string, value: string, unit: string): Markup {
  return html`<div>
    <span class="quiet">${label}</span><b>${value} <small>${unit}</small></b>
  </div>`
}

function figure({ id, title, note, yLabel, xLabel }: Chart): Markup {
  return html`<figure>
    <h2>${title}</h2>
    <div id="chart-${id}" role="img" aria-label="${title}: ${yLabel} by ${xLabel}"></div>
    <figcaption>${note}</figcaption>
  </figure>`
}
