import { request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { makeAssessed } from '../helpers/assessed-call.ts'
import { makeApprovalScene, type ApprovalScene } from '../helpers/approval-scene.ts'
import { toFailed, toSuccess } from '../helpers/make-call.ts'

const READS = { a: makeAssessed(['GIT_CHANGE']) }

interface Listed {
  readonly question: { readonly askId: string; readonly arguments: string }
  readonly nonce: string
}

interface Console {
  readonly scene: ApprovalScene
  readonly url: URL
  /** The asks as the page last heard of them. */
  asks(): Listed[]
  post(
    ask: string,
    body: object,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number }>
}

async function openPage(): Promise<Console> {
  const scene = makeApprovalScene({ reads: READS })
  const url = new URL((await scene.host.approval.openConsole()).url)
  const token = url.searchParams.get('token') ?? ''
  let asks: Listed[] = []
  const stream = httpRequest(new URL(`/asks?token=${token}`, url), (response) => {
    response.on('data', (chunk: Buffer) => {
      asks = JSON.parse(chunk.toString().replace(/^data: /, '')) as Listed[]
    })
    response.on('error', () => undefined)
  })
  stream.on('error', () => undefined)
  stream.end()
  await new Promise<void>((done) => stream.once('response', () => done()))
  return {
    scene,
    url,
    asks: () => asks,
    post: (ask, body, headers = {}) =>
      new Promise((resolve, reject) => {
        const options = { method: 'POST', headers: { 'x-caisson-token': token, ...headers } }
        const sent = httpRequest(new URL(`/asks/${ask}`, url), options, (response) => {
          response.resume()
          resolve({ status: response.statusCode ?? 0 })
        })
        sent.on('error', reject)
        sent.end(JSON.stringify(body))
      }),
  }
}

test('a person on the page answers with the nonce of the ask', async () => {
  const { scene, asks, post } = await openPage()
  const { result } = await scene.start('a', { path: '<b>\u001b[2J' })
  await expect.poll(() => asks().length).toBe(1)
  const [ask] = asks()
  expect(ask?.question.arguments).toContain('\\\\x1b[2J')
  const { status } = await post(ask?.question.askId ?? '', { nonce: ask?.nonce, decision: 'allow' })
  expect(status).toBe(200)
  toSuccess(await result)
  expect(scene.sources()).toEqual(['human-allow'])
})

test('RACE-13 nothing wrong has an effect: nonce 403, unknown 404, settled 409, origin, host, token', async () => {
  const { scene, url, asks, post } = await openPage()
  const { result } = await scene.start('a')
  await expect.poll(() => asks().length).toBe(1)
  const [ask] = asks()
  const id = ask?.question.askId ?? ''
  const allow = { nonce: ask?.nonce, decision: 'allow' }
  expect((await post(id, { ...allow, nonce: 'guess' })).status).toBe(403)
  expect((await post('nobody', allow)).status).toBe(404)
  expect((await post(id, { ...allow, decision: 'yes' })).status).toBe(400)
  expect((await post(id, allow, { origin: 'http://evil.example' })).status).toBe(403)
  expect((await post(id, allow, { host: 'evil.example' })).status).toBe(403)
  expect((await post(id, allow, { 'x-caisson-token': 'guess' })).status).toBe(401)
  expect((await fetch(new URL('/', url))).status).toBe(401)
  expect(scene.sources()).toEqual([])
  expect((await post(id, { ...allow, decision: 'reject' })).status).toBe(200)
  toFailed(await result)
  expect((await post(id, allow)).status).toBe(409)
  expect(scene.sources()).toEqual(['human-deny'])
})

test('a page that nobody has open is nobody who could answer', async () => {
  const scene = makeApprovalScene({ reads: READS })
  const { url } = await scene.host.approval.openConsole()
  expect((await fetch(url)).status).toBe(200)
  expect(toFailed(await scene.call('a')).error.code).toBe('APPROVAL_UNAVAILABLE')
})
