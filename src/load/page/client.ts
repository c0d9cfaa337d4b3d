import type { Chart, ChartSeries } from './chart.ts'

/** The page's own script: plain JavaScript that needs uPlot and an element `#charts` with the data. */
export function clientScript(): string {
  // Their own text is what runs in the browser, so they use nothing but one another.
  const parts = [
    start,
    createPlot,
    toLines,
    toAxes,
    toScales,
    showPercentile,
    showNumber,
    readColor,
  ]
  return `'use strict';\n${parts.map(String).join('\n')}\nstart();`
}

interface Box {
  readonly clientWidth: number
  readonly textContent: string | null
  replaceChildren(): void
}

interface Plot {
  setSize(size: { width: number; height: number }): void
  destroy(): void
}

type PlotMaker = new (options: object, data: readonly unknown[], target: Box) => Plot

declare const document: { getElementById(id: string): Box | null; readonly documentElement: Box }
declare const uPlot: PlotMaker & { sync(key: string): { readonly key: string } }
declare function matchMedia(query: string): {
  addEventListener(type: string, listener: () => void): void
}
declare function getComputedStyle(box: Box): { getPropertyValue(name: string): string }
declare const ResizeObserver: new (listener: () => void) => { observe(box: Box): void }

function start(): void {
  const charts = JSON.parse(document.getElementById('charts')?.textContent ?? '[]') as Chart[]
  for (const chart of charts) {
    const box = document.getElementById(`chart-${chart.id}`)
    if (box === null) continue
    let plot = createPlot(chart, box)
    let width = box.clientWidth
    new ResizeObserver(() => {
      if (box.clientWidth === width) return
      width = box.clientWidth
      plot.setSize({ width, height: 260 })
    }).observe(box)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      plot.destroy()
      box.replaceChildren()
      plot = createPlot(chart, box)
    })
  }
}

function createPlot(chart: Chart, box: Box): Plot {
  const sums = chart.x.map(() => 0)
  const layers = chart.series.map(({ values }) =>
    chart.stacked ? values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))) : values,
  )
  // The highest layer is drawn first and the others over it.
  const order = chart.series.map((_, index) => index)
  if (chart.stacked) order.reverse()
  const options = {
    width: box.clientWidth,
    height: 260,
    scales: toScales(chart),
    axes: toAxes(chart),
    series: [
      {
        label: chart.xScale === 'percentile' ? 'percentile' : 'time',
        value: (_: unknown, x: number | null) => {
          if (x === null) return '–'
          return chart.xScale === 'percentile' ? showPercentile(x) : `${showNumber(x)} s`
        },
      },
      ...order.map((index) => toLines(chart, chart.series[index] as ChartSeries)),
    ],
    cursor: chart.xScale === 'percentile' ? {} : { sync: { key: uPlot.sync('time').key } },
  }
  return new uPlot(options, [chart.x, ...order.map((index) => layers[index])], box)
}

function toLines(chart: Chart, series: ChartSeries): object {
  const stroke = readColor(series.color)
  return {
    label: series.label,
    stroke,
    width: series.dashed === true ? 1 : 2,
    points: { show: chart.x.length < 3 },
    spanGaps: true,
    ...(series.dashed === true ? { dash: [4, 4] } : {}),
    ...(chart.stacked ? { fill: stroke, width: 1 } : {}),
    value: (_plot: unknown, _shown: unknown, _index: number, at: number | null) => {
      const value = at === null ? null : series.values[at]
      return value === null || value === undefined ? '–' : showNumber(value)
    },
  }
}

function toScales(chart: Chart): object {
  const isLog = chart.yScale === 'log'
  const fromZero = (_plot: unknown, _min: number, max: number): number[] => [
    0,
    max > 0 ? max * 1.1 : 1,
  ]
  return {
    x: { time: false, distr: chart.xScale === 'percentile' ? 3 : 1 },
    y: isLog ? { distr: 3 } : { range: fromZero },
  }
}

function toAxes(chart: Chart): object[] {
  const look = {
    stroke: readColor('text'),
    grid: { stroke: readColor('grid'), width: 1 },
    ticks: { stroke: readColor('grid'), width: 1 },
    labelSize: 22,
    labelGap: 2,
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
  }
  const shown = (_plot: unknown, splits: (number | null)[]): string[] =>
    splits.map((value) => (value === null ? '' : showNumber(value)))
  const percentiles = (_plot: unknown, splits: (number | null)[]): string[] =>
    splits.map((value) =>
      value !== null && Number.isInteger(Math.log10(value)) ? showPercentile(value) : '',
    )
  return [
    {
      ...look,
      label: chart.xLabel,
      values: chart.xScale === 'percentile' ? percentiles : shown,
    },
    { ...look, label: chart.yLabel, size: 64, values: shown },
  ]
}

function showPercentile(x: number): string {
  const percentile = 100 * (1 - 1 / x)
  const digits = Math.max(0, Math.ceil(Math.log10(x)) - 2)
  return `p${percentile.toFixed(Math.min(4, digits))}`
}

function showNumber(value: number): string {
  if (value === 0) return '0'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

function readColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}
