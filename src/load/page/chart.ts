/** A line or an area of a chart. */
export interface ChartSeries {
  readonly label: string
  /** Name of a colour of the page's style. */
  readonly color: string
  /** One value for each `x`; null where there is none. */
  readonly values: readonly (number | null)[]
  readonly dashed?: true
}

/** A chart of the report page, complete but for the drawing. */
export interface Chart {
  readonly id: string
  readonly title: string
  /** One sentence on how to read it. */
  readonly note: string
  readonly x: readonly number[]
  readonly xLabel: string
  readonly yLabel: string
  readonly series: readonly ChartSeries[]
  /** `percentile`: x is 1/(1-share) on a logarithmic scale, labelled with percentiles. */
  readonly xScale: 'linear' | 'percentile'
  readonly yScale: 'linear' | 'log'
  /** The series lie on top of one another. */
  readonly stacked: boolean
}
