/** A frame is a 4-byte big-endian length and that many bytes of UTF-8 JSON. */
const FRAME_HEADER_BYTES = 4

/** Bytes of one frame around `text`. */
export function encodeFrame(text: string): Buffer {
  const bytes = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + bytes)
  frame.writeUInt32BE(bytes, 0)
  frame.write(text, FRAME_HEADER_BYTES)
  return frame
}

export interface FrameReader {
  push(chunk: Buffer): void
  /** True between the first and the last byte of a frame. */
  readonly partial: boolean
  /** Whole frames so far. */
  readonly frames: number
}

/** What a reader calls. `oversized` is called before anything is allocated; the reader then stops. */
export interface FrameSink {
  frame(text: string): void
  oversized(bytes: number): void
  /** The bytes of a frame were no UTF-8; the reader then stops. */
  malformed(): void
}

/** Cuts a byte stream into frames of at most `maxBytes()` bytes each. */
export function createFrameReader(sink: FrameSink, maxBytes: () => number): FrameReader {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** What has arrived of a frame that is not whole. */
  let chunks: Buffer[] = []
  let buffered = 0
  /** How many bytes must be there before reading goes on. */
  let needed = 0
  let stopped = false
  let frames = 0

  const decode = (bytes: Buffer): string | undefined => {
    try {
      return decoder.decode(bytes)
    } catch {
      return undefined // Reported as malformed(): hostile bytes are no exception of ours.
    }
  }
  /** Reads the frame that begins at `at`; answers with where the next one does, or `at`. */
  const next = (bytes: Buffer, at: number): number => {
    needed = FRAME_HEADER_BYTES
    if (bytes.length - at < needed) return at
    const length = bytes.readUInt32BE(at)
    if (length > maxBytes()) {
      stopped = true
      sink.oversized(length)
      return at
    }
    needed += length
    if (bytes.length - at < needed) return at
    const end = at + needed
    const text = decode(bytes.subarray(at + FRAME_HEADER_BYTES, end))
    if (text === undefined) {
      stopped = true
      sink.malformed()
      return at
    }
    frames += 1
    sink.frame(text)
    return end
  }
  return {
    push(chunk) {
      if (stopped || chunk.length === 0) return
      buffered += chunk.length
      if (chunks.length > 0) {
        chunks.push(chunk)
        if (buffered < needed) return
      }
      const bytes = chunks.length > 0 ? Buffer.concat(chunks) : chunk
      let at = 0
      for (let end = next(bytes, 0); end > at && !stopped; end = next(bytes, at)) at = end
      buffered = bytes.length - at
      chunks = buffered > 0 ? [bytes.subarray(at)] : []
    },
    get partial() {
      return buffered > 0
    },
    get frames() {
      return frames
    },
  }
}
