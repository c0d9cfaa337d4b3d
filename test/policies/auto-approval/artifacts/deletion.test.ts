import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Agent } from '../../../../src/host/agent.ts'
import { createToolHost, type ToolHost } from '../../../../src/host/create-tool-host.ts'
import type { Session } from '../../../../src/host/session.ts'
import type { CallResult } from '../../../../src/types/call.ts'
import { makeCall } from '../../../helpers/make-call.ts'
import { removeFolder } from '../../../helpers/folders.ts'

interface Place {
  readonly host: ToolHost
  readonly workspace: string
  readonly session: Session
  /** Runs a command line as a tool call; `blocked` when it needs a person. */
  run(command: string, agent?: Agent): Promise<'ran' | 'blocked' | 'failed'>
}

// A real shell and a real assessor; only the exit code of the body is scripted where a test says so.
function makePlace(): Place {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-art-ws-')))
  const stateDir = mkdtempSync(join(tmpdir(), 'caisson-art-state-'))
  const host = createToolHost({
    workspace,
    stateDir,
    approval: { notices: false, loopThreshold: 0 },
  })
  onTestFinished(async () => {
    await host.close()
    for (const folder of [workspace, stateDir]) removeFolder(folder)
  })
  host.tools.register(
    {
      name: 'bash',
      description: 'runs a line',
      parameters: { type: 'object' },
      output: { schema: {}, render: () => [] },
      execute({ command }: { command: string }) {
        try {
          execFileSync('/bin/bash', ['-c', command], { cwd: workspace, stdio: 'ignore' })
          return { exitCode: 0 }
        } catch {
          return { exitCode: 1 }
        }
      },
    },
    { policy: { class: 'shell' } },
  )
  const session = host.openSession()
  const main = session.agent('main')
  return {
    host,
    workspace,
    session,
    async run(command, agent = main) {
      const result: CallResult = await agent.tools.execute(makeCall('bash', { command }))
      if (result.isError) return 'blocked'
      return (result.value as { exitCode: number }).exitCode === 0 ? 'ran' : 'failed'
    },
  }
}

describe('what a session made', () => {
  test('ART-01 may be deleted by it', async () => {
    const place = makePlace()
    expect(await place.run('mkdir d')).toBe('ran')
    expect(await place.run('rm -rf d')).toBe('ran')
    expect(place.host.approval.history().at(-1)?.codes).toContain('ARTIFACT_DELETE')
  })

  test('ART-01 may not be deleted when the call that made it failed', async () => {
    const place = makePlace()
    expect(await place.run('mkdir d && false')).toBe('failed')
    expect(await place.run('rm -rf d')).toBe('blocked')
  })

  test.each(['rm d x', 'rm d*', 'D=d; rm -rf "$D"', 'echo d | xargs rm', 'bash -c "rm -rf d"'])(
    'ART-02 is not covered by `%s`',
    async (command) => {
      const place = makePlace()
      writeFileSync(join(place.workspace, 'x'), '')
      await place.run('mkdir d')
      expect(await place.run(command)).toBe('blocked')
    },
  )

  test('ART-03 belongs to no other session, and to sub-agents of its own', async () => {
    const place = makePlace()
    const other = place.host.openSession().agent('main')
    const below = place.session.agent('below', { parent: place.session.agent('main') })
    await place.run('mkdir d')
    expect(await place.run('rm -rf d', other)).toBe('blocked')
    expect(await place.run('rm -rf d', below)).toBe('ran')
  })

  test('ART-04 stops being only its own when something was moved in', async () => {
    const place = makePlace()
    writeFileSync(join(place.workspace, 'important'), '')
    await new Promise((done) => setTimeout(done, 60))
    await place.run('mkdir d')
    expect(await place.run('mv ./important ./d/')).toBe('ran')
    expect(await place.run('rm -rf d')).toBe('blocked')
  })

  test('ART-05 is not known yet on the line that makes it', async () => {
    const place = makePlace()
    writeFileSync(join(place.workspace, 'important'), '')
    expect(await place.run('mkdir d && mv ./important ./d/ && rm -rf d')).toBe('blocked')
  })

  test('ART-06 is known by what it is: replaced it is not, renamed it still is', async () => {
    const place = makePlace()
    await place.run('echo hi > f')
    rmSync(join(place.workspace, 'f'))
    writeFileSync(join(place.workspace, 'f'), 'other')
    expect(await place.run('rm f')).toBe('blocked')
    await place.run('echo hi > g')
    await place.run('mv ./g ./h')
    expect(await place.run('rm h')).toBe('ran')
  })

  test('ART-07 is nothing that was there before, and no link', async () => {
    const place = makePlace()
    writeFileSync(join(place.workspace, 'old'), '')
    await place.run('echo hi > old')
    expect(await place.run('rm old')).toBe('blocked')
    mkdirSync(join(place.workspace, 'real'))
    await place.run('ln -s real link')
    expect(await place.run('rm link')).toBe('blocked')
  })

  test('ART-08 may not be deleted while another call of the session runs', async () => {
    const place = makePlace()
    const gate = Promise.withResolvers<void>()
    place.host.tools.register(
      {
        name: 'slow',
        description: 'waits',
        parameters: { type: 'object' },
        output: { schema: {}, render: () => [] },
        execute: () => gate.promise.then(() => 1),
      },
      { policy: { class: 'pure' } },
    )
    await place.run('mkdir d')
    const agent = place.session.agent('main')
    const slow = agent.tools.execute(makeCall('slow'))
    expect(await place.run('rm -rf d')).toBe('blocked')
    gate.resolve()
    expect((await slow).isError).toBe(false)
    expect(await place.run('rm -rf d')).toBe('ran')
  })
})
