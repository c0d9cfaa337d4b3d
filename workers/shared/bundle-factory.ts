/** A bundle as the bundler writes it (workers/bundler/tool.ts). */
export type BundleFactory = (
  require: (name: string) => unknown,
  module: { exports: unknown },
  exports: unknown,
) => void | Promise<void>
