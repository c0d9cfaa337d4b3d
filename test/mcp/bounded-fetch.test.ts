import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { boundedFetch } from '../../src/mcp/bounded-fetch.ts'

const MB = 1024 * 1024

/** A server whose answer is so many megabytes, an event for each or one message of all. */
async function listen(type: string, megabytes: number): Promise<string> {
  const part = type === 'text/event-stream' ? `data: ${'x'.repeat(MB - 8)}\n\n` : 'x'.repeat(MB)
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type })
    for (let sent = 0; sent < megabytes; sent += 1) response.write(part)
    response.end()
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('a message longer than any that is taken is not read to its end', async () => {
  const response = await boundedFetch(await listen('application/json', 12))
  await expect(response.text()).rejects.toThrow(/a message of more than \d+ bytes/)
})

test('events are measured each for itself, and an answer of usual length is whole', async () => {
  const events = await boundedFetch(await listen('text/event-stream', 12))
  expect((await events.text()).length).toBe(12 * MB)
  const answer = await boundedFetch(await listen('application/json', 2))
  expect((await answer.text()).length).toBe(2 * MB)
})
