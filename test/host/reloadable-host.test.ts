import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createReloadableHost, type ReloadableHost } from '../../src/host/reloadable-host.ts'
import type { ToolHost } from '../../src/host/create-tool-host.ts'
import { makeCall, makeTool, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makeFolder } from '../helpers/folders.ts'

interface Rig {
  readonly host: ReloadableHost
  /** Every host that was set up, in order. */
  readonly made: ToolHost[]
  write(config: object): void
}

async function open(release: Promise<void> = Promise.resolve()): Promise<Rig> {
  const folder = makeFolder('caisson-reloadable-')
  const config = join(folder, 'c.json')
  const write = (given: object): void => writeFileSync(config, JSON.stringify(given))
  write({ maxQueue: 10 })
  const made: ToolHost[] = []
  const host = await createReloadableHost(
    { config, stateDir: join(folder, 'state') },
    {
      setup(next) {
        made.push(next)
        const which = made.length
        next.tools.register(makeTool('wait', { execute: () => release.then(() => which) }))
      },
    },
  )
  onTestFinished(() => host.close())
  return { host, made, write }
}

test('reload() switches to a host that is set up like the first', async () => {
  const { host, made } = await open()
  const [first] = made
  expect(host.current).toBe(first)
  await host.reload()
  expect(host.current).toBe(made[1])
  expect(toSuccess(await host.current.tools.execute(makeCall('wait'))).value).toBe(2)
  await expect
    .poll(async () => (await first?.tools.execute(makeCall('wait')))?.isError, { timeout: 5_000 })
    .toBe(true)
})

test('reload() rejects what it cannot keep to, and the host stays', async () => {
  const { host, made, write } = await open()
  write({ sources: ['gone.mjs'] })
  await expect(host.reload()).rejects.toMatchObject({ code: 'LOAD_FAILED' })
  write({ maxQueu: 1 })
  await expect(host.reload()).rejects.toThrow("did you mean 'maxQueue'?")
  expect(host.current).toBe(made[0])
  expect(toSuccess(await host.current.tools.execute(makeCall('wait'))).value).toBe(1)
})

test('reload() called many times at once reads the file as it is last', async () => {
  const { host, made, write } = await open()
  const reloads = Array.from({ length: 20 }, () => host.reload())
  write({ sources: ['gone.mjs'] })
  const outcomes = await Promise.allSettled(reloads)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(19)
  expect(made.length).toBeLessThanOrEqual(3)
})

test('calls keep their host, and only so many hosts are kept for them', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { host } = await open(promise)
  const calls = []
  for (let i = 0; i < 3; i += 1) {
    calls.push(host.current.tools.execute(makeCall('wait', {}, { callId: `${i}` })))
    await host.reload()
  }
  calls.push(host.current.tools.execute(makeCall('wait')))
  await expect(host.reload()).rejects.toMatchObject({ code: 'OVERLOADED' })
  resolve()
  const values = (await Promise.all(calls)).map((result) => toSuccess(result).value)
  expect(values).toEqual([1, 2, 3, 4])
  await expect
    .poll(() =>
      host.reload().then(
        () => 'reloaded',
        () => 'refused',
      ),
    )
    .toBe('reloaded')
})

test('the page for approvals moves to the new host, on its fixed port', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  const stateDir = makeFolder('caisson-reloadable-page-')
  const said: string[] = []
  const approval = { answerers: { console: { enabled: true, port } } }
  const host = await createReloadableHost({
    config: { approval },
    stateDir,
    logger: (line) => void said.push(line),
  })
  onTestFinished(() => host.close())
  const pages = (): number => said.filter((line) => line.includes(`:${port}/`)).length
  await expect.poll(pages).toBe(1)
  await host.reload()
  await expect.poll(pages, { timeout: 5_000 }).toBe(2)
})

test('close() ends a reload that is under way, and every host', async () => {
  const { host, made } = await open()
  const reloading = host.reload()
  const closing = host.close()
  await expect(reloading).rejects.toMatchObject({ code: 'HOST_CLOSED' })
  await closing
  await expect(host.reload()).rejects.toMatchObject({ code: 'HOST_CLOSED' })
  for (const one of made) {
    expect(toFailed(await one.tools.execute(makeCall('wait'))).error.code).toBe('HOST_CLOSED')
    expect(one.childPids()).toEqual([])
  }
})
