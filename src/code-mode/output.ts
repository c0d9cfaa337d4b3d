/** What a program prints and returns, measured together. */
export interface ProgramOutput {
  readonly logs: readonly string[]
  readonly isOver: boolean
  /** False when the line did not fit any more: then it is not kept. */
  print(text: string): boolean
  /** Whether so many more bytes fit. */
  fits(bytes: number): boolean
}

const LINE_BYTES = 1

/** Creates the output of one program; `overflow` is called once, when something does not fit. */
export function createProgramOutput(maxBytes: number, overflow: () => void): ProgramOutput {
  const logs: string[] = []
  let left = maxBytes
  let isOver = false
  const fits = (bytes: number): boolean => {
    if (bytes <= left) return true
    if (!isOver) {
      isOver = true
      overflow()
    }
    return false
  }
  return {
    logs,
    get isOver() {
      return isOver
    },
    fits,
    print(text) {
      const bytes = Buffer.byteLength(text) + LINE_BYTES
      if (isOver || !fits(bytes)) return false
      left -= bytes
      logs.push(text)
      return true
    },
  }
}
