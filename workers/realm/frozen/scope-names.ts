/** Global names that every call of a frozen realm has an object of its own for. */
export const SCOPE_NAMES: readonly string[] = [
  'globalThis',
  'global',
  'console',
  'process',
  'performance',
]
