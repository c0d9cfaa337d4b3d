import type { LatencyReport } from '../latency.ts'
import type { LoadReport } from '../report.ts'
import { showCount, showMs, showRate } from '../words.ts'
import { html, type Markup } from './markup.ts'

/** The thresholds with what was measured; nothing when there are none. */
export function thresholdTable({ thresholds }: LoadReport): Markup {
  if (thresholds.length === 0) return html``
  const rows = thresholds.map(({ expression, ok, actual, unit }) => {
    const shown = actual === null ? 'nothing to measure' : `${actual} ${unit}`
    const mark = ok
      ? html`<span class="good">✔ holds</span>`
      : html`<span class="bad">✘ fails</span>`
    return html`<tr>
      <td>${mark}</td>
      <th scope="row">${expression}</th>
      <td class="number">${shown}</td>
    </tr>`
  })
  const body = table(['', 'threshold', '#measured'], rows)
  return html`<section>
    <h2>Thresholds</h2>
    ${body}
  </section>`
}

/** Every latency by its quantiles. */
export function latencyTable({ latency, load }: LoadReport): Markup {
  const rows: (readonly [string, string, LatencyReport])[] = [
    ['response time', 'from the intended start until the call had settled', latency.response],
    ['service time', 'the call itself, without its wait in the queue', latency.service],
    ['queue wait', 'waiting for a free slot of the engine', latency.queue],
  ]
  if (latency.failed.count > 0) {
    rows.push(['failed calls', 'response time of calls that failed', latency.failed])
  }
  if (load.model === 'open') {
    rows.push(['generator lag', 'how late the generator started calls', latency.lag])
  }
  const body = rows.map(([name, meaning, row]) =>
    latencyRow(html`${name}<br /><span class="quiet">${meaning}</span>`, row),
  )
  const head = ['ms', '#calls', '#mean', '#min', '#p50', '#p90', '#p95', '#p99', '#p99.9', '#max']
  return html`<section>
    <h2>Latency in milliseconds</h2>
    ${table(head, body)}
  </section>`
}

/** The calls of a mix; nothing for a single tool. */
export function toolTable({ tools }: LoadReport): Markup {
  if (tools.length < 2) return html``
  const rows = tools.map(({ tool, weight, ok, failed, p50, p95, p99, max }) => {
    const numbers = [
      `${weight}`,
      `${ok}`,
      `${failed}`,
      ...[p50, p95, p99, max].map((ms) => (ok === 0 ? '–' : showMs(ms))),
    ]
    return html`<tr>
      <th scope="row">${tool}</th>
      ${numbers.map(numberCell)}
    </tr>`
  })
  const head = ['tool', '#weight', '#ok', '#failed', '#p50', '#p95', '#p99', '#max']
  return html`<section>
    <h2>Tools (response time in ms)</h2>
    ${table(head, rows)}
  </section>`
}

/** Failures by code, with the message of the first of each. */
export function failureTable({ failures }: LoadReport): Markup {
  const entries = Object.entries(failures)
  if (entries.length === 0) return html``
  const rows = entries.map(
    ([code, { count, message }]) =>
      html`<tr>
        <th scope="row">${code}</th>
        ${numberCell(`${count}`)}
        <td>${message}</td>
      </tr>`,
  )
  const body = table(['code', '#calls', 'first message'], rows)
  return html`<section>
    <h2>Failures</h2>
    ${body}
  </section>`
}

/** What ran where. */
export function factTable(report: LoadReport): Markup {
  const facts = [...describeRun(report), ...describeHost(report.host), ...describePlace(report)]
  const rows = facts.map(
    ([name, text]) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td>${text}</td>
      </tr>`,
  )
  return html`<section>
    <h2>Run</h2>
    <table class="facts">
      <tbody>
        ${rows}
      </tbody>
    </table>
  </section>`
}

type Fact = readonly [string, string]

function describeRun({ calls, rate, engine }: LoadReport): Fact[] {
  const { offered, ok, failed, dropped, unfinished, retries } = calls
  const asked = rate.asked === undefined ? '' : `asked ${showRate(rate.asked)}, `
  const { kills, recycles, lost, started } = engine
  return [
    [
      'calls',
      `${offered} due, ${ok} succeeded, ${failed} failed, ${dropped} dropped, ${unfinished} unfinished`,
    ],
    ['rate', `${asked}achieved ${showRate(rate.achieved)}`],
    [
      'engine',
      `${showCount(kills, 'kill')}, ${showCount(recycles, 'recycle')}, ${lost} lost, ${started} started; ${retries} retried attempts`,
    ],
  ]
}

function describeHost({ eventLoop, gc, memory }: LoadReport['host']): Fact[] {
  const { hostStartMb, hostPeakMb, hostEndMb, childrenPeakMb, childrenEndMb } = memory
  const children =
    childrenPeakMb === undefined
      ? 'not told by this system'
      : `${childrenPeakMb} MB at most, ${childrenEndMb} MB at the end`
  return [
    [
      'event loop',
      `late p50 ${eventLoop.p50Ms} ms, p99 ${eventLoop.p99Ms} ms, max ${eventLoop.maxMs} ms; busy ${Math.round(eventLoop.utilization * 100)} % of the time`,
    ],
    [
      'garbage',
      `${showCount(gc.count, 'collection')}, ${gc.totalMs} ms in all, ${gc.maxMs} ms at most`,
    ],
    [
      'host memory',
      `${hostStartMb} MB at the start, ${hostPeakMb} MB at most, ${hostEndMb} MB at the end`,
    ],
    ['sandbox memory', children],
  ]
}

function describePlace({ environment, load }: LoadReport): Fact[] {
  const { engine, profile, state, sandbox, cores, cpu, platform, node, caisson } = environment
  return [
    ['sandbox', `${engine} engine, profile ${profile}, state ${state}: ${sandbox}`],
    ['outstanding', `at most ${load.maxOutstanding} calls under way`],
    ['machine', `${cores} cores (${cpu}), ${platform}`],
    ['software', `Node ${node}, caisson ${caisson}`],
  ]
}

function latencyRow(name: Markup, row: LatencyReport): Markup {
  const values = [row.mean, row.min, row.p50, row.p90, row.p95, row.p99, row.p99_9, row.max]
  const cells = values.map((ms) => (row.count === 0 ? '–' : showMs(ms)))
  return html`<tr>
    <th scope="row">${name}</th>
    ${[`${row.count}`, ...cells].map(numberCell)}
  </tr>`
}

// A head that begins with # is that of a column of numbers.
function table(heads: readonly string[], rows: readonly Markup[]): Markup {
  const cells = heads.map((head) =>
    head.startsWith('#')
      ? html`<th scope="col" class="number">${head.slice(1)}</th>`
      : html`<th scope="col">${head}</th>`,
  )
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${cells}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}

function numberCell(text: string): Markup {
  return html`<td class="number">${text}</td>`
}
