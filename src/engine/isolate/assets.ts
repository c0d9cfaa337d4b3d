import { loadAsset, type BundleAsset } from '../shared/load-asset.ts'

/** What runners are made of, as plain JavaScript text. */
export interface RunnerAssets {
  readonly runner: string
  readonly realm: string
}

/** Reads the built assets; an unbuilt checkout bundles them from source with `bundleAsset`. */
export async function loadRunnerAssets(bundleAsset: BundleAsset): Promise<RunnerAssets> {
  const [runner, realm] = await Promise.all([
    loadAsset('isolate/runner', bundleAsset),
    loadAsset('isolate/realm-entry', bundleAsset),
  ])
  return { runner, realm }
}

/** The realm of the frozen state, as plain JavaScript text. */
export function loadFrozenRealm(bundleAsset: BundleAsset): Promise<string> {
  return loadAsset('isolate/frozen-realm-entry', bundleAsset)
}
