import { Option } from 'commander'

/** `--tools <pack>`: tools that come with the host. */
export function toolsOption(): Option {
  return new Option('--tools <pack>', 'tools that come with the host').choices(['builtin'])
}

/** With a pack and one name, the name is the tool's. */
export function placeNames(
  source: string | undefined,
  tool: string | undefined,
  pack: string | undefined,
): { readonly source: string | undefined; readonly tool: string | undefined } {
  const isTool = pack !== undefined && tool === undefined
  return isTool ? { source: undefined, tool: source } : { source, tool }
}
