// Which behaviours of the pages below have a test that carries their id in its title. Fails below 100 %.
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('..', import.meta.url)
// A later page may use an area of an earlier one again; titles then say its word before the id.
const PAGES: readonly { readonly file: string; readonly word: string }[] = [
  { file: 'docs/contract.md', word: '' },
  { file: 'docs/approval-behaviours.md', word: 'approval ' },
]
const LISTED = /^- \*\*([A-Z]+-\d+)\*\*/gm
// An id counts where it stands in a string of a test file: a title, or a row that becomes one.
const MENTIONED = /['"`][^'"`\n]*?\b([A-Z]+-\d+)\b/g

const tested = await findTested()
const taken = new Set<string>()
let missed = false
for (const { file, word } of PAGES) {
  const ids = await readIds(file)
  const missing = [...ids].filter((id) => !tested.has(taken.has(areaOf(id)) ? word + id : id))
  console.log(`${file}: ${ids.size - missing.length} / ${ids.size} behaviours have a test`)
  if (missing.length > 0) console.log(`without one: ${missing.join(', ')}`)
  if (ids.size === 0 || missing.length > 0) missed = true
  for (const id of ids) taken.add(areaOf(id))
}
process.exitCode = missed ? 1 : 0

async function readIds(page: string): Promise<Set<string>> {
  const text = await readFile(new URL(page, ROOT), 'utf8')
  return new Set([...text.matchAll(LISTED)].flatMap(([, id]) => (id === undefined ? [] : [id])))
}

/** The ids of all titles, each with the word of its page where that stands before it. */
async function findTested(): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const file of glob('test/**/*.test.ts', { cwd: fileURLToPath(ROOT) })) {
    const text = await readFile(new URL(file, ROOT), 'utf8')
    for (const line of text.split('\n')) {
      for (const [all] of line.matchAll(MENTIONED)) {
        for (const [id] of all.matchAll(/\b(?:approval )?[A-Z]+-\d+\b/g)) found.add(id)
      }
    }
  }
  return found
}

function areaOf(id: string): string {
  return id.slice(0, id.indexOf('-'))
}
