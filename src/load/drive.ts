/** A phase of a load under way. */
export interface Drive {
  /** Resolves once nothing is to be started any more and everything has settled. */
  readonly done: Promise<void>
  readonly outstanding: number
  /** What the schedule covered so far, in milliseconds; undefined for a closed load. */
  readonly spanMs: number | undefined
  /** Starts nothing more and aborts what is under way. */
  abort(): void
}
