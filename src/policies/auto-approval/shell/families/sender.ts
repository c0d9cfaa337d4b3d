import { holdsCredential } from '../../guard/credentials.ts'
import { isMetadataUrl, parseUrl } from '../../urls.ts'
import type { Segment } from '../segment.ts'
import type { ShellWord } from '../shell-word.ts'
import { isOpen, knownText, textOf, textWord } from '../shell-word.ts'

/** What every sender is judged for: hosts, credentials in its words, files on its standard input. */
export function judgeSender(segment: Segment): void {
  segment.mark('other')
  segment.add('NETWORK')
  segment.event('sender')
  judgeCredentials(segment)
  if (segment.redirects.readsFile) segment.add('UPLOAD')
  for (const word of segment.args) {
    const text = knownText(word)
    noteUrl(text, segment)
    const value = text.slice(text.indexOf('=') + 1)
    const host = text.slice(text.lastIndexOf('@') + 1)
    if ([text, value, host, `http://${host}`].some(isMetadataUrl)) segment.add('METADATA_ENDPOINT')
  }
}

/** Credential text in the words or the here-document of a command that sends. */
export function judgeCredentials(segment: Segment): void {
  const { stdin } = segment.context
  const texts = segment.args.map(knownText)
  const fed = stdin.kind === 'text' ? [knownText(stdin.text)] : []
  if ([...texts, texts.join(' '), ...fed].some(holdsCredential)) segment.add('CREDENTIAL_EGRESS')
}

function noteUrl(text: string, { context }: Segment): void {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) context.line.urls.push(text.replaceAll('\u0000', ''))
}

/** Keys and certificates are used, not sent. */
export function glanceAll(words: readonly ShellWord[], segment: Segment): void {
  for (const word of words) segment.glance(word, 'unknown')
}

/** Files that go out. */
export function judgeUploads(words: readonly ShellWord[], segment: Segment): void {
  for (const word of words) {
    segment.add('UPLOAD')
    if (textOf(word) !== '-') segment.path(word, 'read')
  }
}

/** Files that get the names of what is fetched. */
export function judgeNamedByUrl(
  urls: readonly ShellWord[],
  remote: boolean,
  segment: Segment,
): void {
  for (const url of urls) {
    const name = parseUrl(textOf(url) ?? '')
      ?.pathname.split('/')
      .at(-1)
    if (remote || isOpen(url) || name === undefined) segment.add('DYNAMIC_WRITE')
    else segment.path(textWord(name === '' ? 'index.html' : `./${name}`), 'write')
  }
}
