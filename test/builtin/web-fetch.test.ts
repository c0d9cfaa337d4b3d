import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { toFailed, toSuccess } from '../helpers/make-call.ts'
import { makePack } from './pack-rig.ts'

const PAGE = `<!doctype html><html><head><title>Tides</title><script>alert(1)</script></head><body>
<nav><a href="/a">menu</a></nav><article><h1>Tides</h1><p>${'The sea rises and falls. '.repeat(20)}</p>
<p>See <a href="/more">more</a>.</p></article></body></html>`

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/bin') response.setHeader('content-type', 'image/png')
    else response.setHeader('content-type', 'text/html; charset=utf-8')
    response.statusCode = request.url === '/gone' ? 404 : 200
    response.end(PAGE)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a page comes as the text of its main part, from granted hosts alone', async () => {
  const origin = await serve()
  const { call, events } = await makePack({ config: { fetch: { allow: [origin] } } })
  const page = toSuccess(await call('web_fetch', { url: `${origin}/tides` }))
  expect(page.value).toMatchObject({ statusCode: 200, title: 'Tides', truncated: false })
  const { text } = page.value as { text: string }
  expect(text).toContain('The sea rises and falls.')
  expect(text).toContain(`[more](${origin}/more)`)
  expect(text).not.toContain('alert')
  expect(events('tool/result')[0]?.data['card']).toMatchObject({ card: 'web', kind: 'fetch' })
  const gone = toSuccess(await call('web_fetch', { url: `${origin}/gone`, max_characters: 10 }))
  expect(gone.value).toMatchObject({ statusCode: 404, truncated: true })
  expect(toFailed(await call('web_fetch', { url: `${origin}/bin` })).error.code).toBe('TOOL_ERROR')
  const other = await call('web_fetch', { url: 'http://127.0.0.1:9/' })
  expect(toFailed(other).error.code).toBe('CAPABILITY_DENIED')
})
