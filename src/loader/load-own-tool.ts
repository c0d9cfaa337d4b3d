import { loadAsset, type BundleAsset } from '../engine/shared/load-asset.ts'
import type { SandboxProfile } from '../types/profile.ts'
import { toSourceTools, type SourceEngine, type SourceTools } from './load-source.ts'

/** Loads one of Caisson's own tools, below `workers/`, into its sandbox like any other. */
export async function loadOwnTool(
  name: string,
  parts: {
    readonly profile: SandboxProfile
    readonly bundler: { readonly bundleAsset: BundleAsset }
    engineOf(profile: SandboxProfile): SourceEngine
  },
): Promise<SourceTools> {
  const { profile, bundler } = parts
  const code = await loadAsset(name, bundler.bundleAsset)
  const source = { source: 'builtin', root: '/', entry: `/${name}.js`, code }
  return await toSourceTools('builtin', await parts.engineOf(profile).load(source, profile), [])
}
