/** Values of the language that lead to everything that no global name leads to. */
export function createIntrinsicSamples(): unknown[] {
  const iterable = { *[Symbol.iterator]() {} }
  return [
    ...createFunctions(),
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().entries(),
    ''[Symbol.iterator](),
    ''.matchAll(/x/g),
    Iterator.from({ next: () => ({ done: true, value: undefined }) }),
    [].values().map(() => 0),
    iterable[Symbol.iterator](),
    // oxlint-disable-next-line typescript/no-implied-eval -- only sloppy code has these
    (new Function('return arguments') as () => unknown)(),
    new Date(0),
    /(?<name>x)/d.exec('x'),
    /x/,
    new ArrayBuffer(1),
    new DataView(new ArrayBuffer(1)),
    new Float64Array(1),
    new BigInt64Array(1),
    new WeakMap(),
    new WeakSet(),
    new WeakRef({}),
    Promise.resolve(),
    Symbol.iterator,
    1n,
    1,
    '',
    true,
    ...createErrors(),
    ...createInternational(),
    ...createDisposables(),
    ...createTimes(),
  ]
}

function createFunctions(): unknown[] {
  const generator = function* (): Generator {}
  const asyncGenerator = async function* (): AsyncGenerator {}
  const tag = (strings: TemplateStringsArray): unknown => strings
  return [
    () => 0,
    async () => 0,
    function plain() {},
    class {},
    generator,
    generator(),
    asyncGenerator,
    asyncGenerator(),
    tag`sample`,
  ]
}

function createErrors(): unknown[] {
  const more = globalThis as unknown as Record<string, new (...args: unknown[]) => unknown>
  const { SuppressedError } = more
  return [
    // Also for the functions that only the descriptors of their own properties show.
    new Error('sample'),
    strictArguments(),
    new AggregateError([]),
    ...(SuppressedError === undefined ? [] : [new SuppressedError(1, 2)]),
  ]
}

function strictArguments(): object {
  // oxlint-disable-next-line prefer-rest-params -- the object itself is wanted
  return arguments
}

// The other classes of Intl are found by their names; making them would load their data.
function createInternational(): unknown[] {
  const segments = new Intl.Segmenter('en').segment('a')
  return [segments, segments[Symbol.iterator]()]
}

function createDisposables(): unknown[] {
  const makers = globalThis as unknown as Record<string, (new () => unknown) | undefined>
  return ['DisposableStack', 'AsyncDisposableStack'].flatMap((name) => {
    const Maker = makers[name]
    return Maker === undefined ? [] : [new Maker()]
  })
}

function createTimes(): unknown[] {
  const start = new Date(0) as unknown as { toTemporalInstant?: () => Temporal }
  const instant = start.toTemporalInstant?.()
  if (instant === undefined) return []
  const zoned = instant.toZonedDateTimeISO('UTC')
  const day = zoned.toPlainDate()
  return [
    instant,
    zoned,
    day,
    zoned.toPlainDateTime(),
    zoned.toPlainTime(),
    day.toPlainYearMonth(),
    day.toPlainMonthDay(),
    instant.since(instant),
  ]
}

interface Temporal {
  toZonedDateTimeISO(zone: string): {
    toPlainDate(): { toPlainYearMonth(): unknown; toPlainMonthDay(): unknown }
    toPlainDateTime(): unknown
    toPlainTime(): unknown
  }
  since(other: Temporal): unknown
}
