/**
 * How names of files are compared: some file systems ignore case, compatibility forms and invisible
 * characters.
 */
export function foldName(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase()
  return name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase()
}
