/** What a bundle writes itself to. */
export interface BundleModule {
  exports: unknown
  /** Its entry file without folder and ending; an `index` file has its folder's name. */
  file?: unknown
}

/** A bundle as the bundler writes it (workers/bundler/tool.ts). */
export type BundleFactory = (
  require: (name: string) => unknown,
  module: BundleModule,
  exports: unknown,
) => void | Promise<void>
