import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createToolHost } from '../../src/host/create-tool-host.ts'
import { makeCall, toFailed, toSuccess } from '../helpers/make-call.ts'
import { makePack } from './pack-rig.ts'

describe('files of the pack', () => {
  test('FS-01 an existing file is neither written nor edited by an agent that has not read it', async () => {
    const { call, put, get } = await makePack()
    put('a.txt', 'one')
    const written = await call('write', { file_path: 'a.txt', content: 'two' })
    const edited = await call('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' })
    expect([toFailed(written).error.code, toFailed(edited).error.code]).toEqual([
      'FS_NOT_OBSERVED',
      'FS_NOT_OBSERVED',
    ])
    expect(get('a.txt')).toBe('one')
  })

  test('FS-02 what changed since it was read is stale, untouched, and says what to do', async () => {
    const { call, put, get } = await makePack()
    put('a.txt', 'one')
    toSuccess(await call('read', { file_path: 'a.txt' }))
    put('a.txt', 'one more')
    const edited = await call('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' })
    const { error } = toFailed(edited)
    expect(error.code).toBe('FS_STALE_VERSION')
    expect(error.message).toMatch(/read it again, then retry/)
    expect(get('a.txt')).toBe('one more')
  })

  test('FS-03 a file that is missing is created by a write and not found by an edit', async () => {
    const { call, get } = await makePack()
    expect(toFailed(await call('read', { file_path: 'n.txt' })).error.code).toBe('FS_NOT_FOUND')
    const edit = { file_path: 'n.txt', old_string: 'a', new_string: 'b' }
    expect(toFailed(await call('edit', edit)).error.code).toBe('FS_NOT_FOUND')
    const made = toSuccess(await call('write', { file_path: 'n.txt', content: 'new' }))
    expect(made.value).toMatchObject({ operation: 'create', before: null, after: 'new' })
    expect(get('n.txt')).toBe('new')
  })

  test('FS-04 what an agent wrote it may change without reading it', async () => {
    const { call, get } = await makePack()
    toSuccess(await call('write', { file_path: 'n.txt', content: 'a b' }))
    toSuccess(await call('edit', { file_path: 'n.txt', old_string: 'b', new_string: 'c' }))
    expect(get('n.txt')).toBe('a c')
  })

  test('FS-05 of two edits at once after one read one wins and the other is stale', async () => {
    const { call, put, get } = await makePack()
    put('a.txt', 'one two')
    toSuccess(await call('read', { file_path: 'a.txt' }))
    const both = await Promise.all([
      call('edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' }),
      call('edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }),
    ])
    const codes = both.map((result) => (result.isError ? result.error.code : 'ok'))
    expect(codes.toSorted()).toEqual(['FS_STALE_VERSION', 'ok'])
    expect(['1 two', 'one 2']).toContain(get('a.txt'))
  })

  test('FS-06 a call without an agent reads and creates, and overwrites nothing', async () => {
    const { call, put } = await makePack()
    put('a.txt', 'one')
    toSuccess(await call('read', { file_path: 'a.txt' }, null))
    toSuccess(await call('write', { file_path: 'b.txt', content: 'b' }, null))
    const again = await call('write', { file_path: 'a.txt', content: 'x' }, null)
    const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'x' }
    expect(toFailed(again).error.code).toBe('FS_NOT_OBSERVED')
    expect(toFailed(await call('edit', edit, null)).error.code).toBe('FS_NOT_OBSERVED')
  })

  test('FS-07 a link out of the workspace is refused and no gate hears of it', async () => {
    const { call, host, workspace } = await makePack()
    const asked: string[] = []
    host.on('fs/write-intent', (target, _exec, next) => {
      asked.push(target.displayPath)
      return next()
    })
    symlinkSync('/etc', join(workspace, 'out'))
    const read = toFailed(await call('read', { file_path: 'out/x' }))
    expect(read.error.code).toBe('FS_SANDBOX_DENIED')
    const write = toFailed(await call('write', { file_path: 'out/x', content: 'x' }))
    const edit = { file_path: 'out/x', old_string: 'a', new_string: 'b' }
    const edited = toFailed(await call('edit', edit))
    expect([write.error.code, edited.error.code]).toEqual([
      'FS_SANDBOX_DENIED',
      'FS_SANDBOX_DENIED',
    ])
    expect(asked).toEqual([])
    expect(existsSync('/etc/x')).toBe(false)
  })

  test('FS-08 a listener of fs/observed that throws costs a diagnostic and nothing else', async () => {
    const { call, host, get, diagnostics } = await makePack()
    host.on('fs/observed', () => {
      throw new Error('no memory for that')
    })
    toSuccess(await call('write', { file_path: 'n.txt', content: 'there' }))
    expect(get('n.txt')).toBe('there')
    expect(diagnostics.join('\n')).toMatch(/fs\/observed failed: no memory for that/)
  })

  test('listeners decide in front of what an agent has seen, and only with an intent', async () => {
    const { call, host, put, get } = await makePack()
    put('a.txt', 'one')
    const off = host.on('fs/write-intent', () => undefined)
    toSuccess(await call('write', { file_path: 'a.txt', content: 'forced' }))
    off()
    const bad = host.on('fs/write-intent', () => ({ kind: 'whatever' }) as never)
    const refused = toFailed(await call('write', { file_path: 'a.txt', content: 'again' }))
    expect(refused.error).toMatchObject({ code: 'BAD_DECISION', phase: 'fs/write-intent' })
    bad()
    host.on('fs/write-intent', () => {
      throw new Error('policy fell over')
    })
    const threw = toFailed(await call('write', { file_path: 'a.txt', content: 'again' }))
    expect(threw.error.code).toBe('BAD_DECISION')
    expect(get('a.txt')).toBe('forced')
  })

  test('what an agent had seen comes back with its session, and is nobody elses', async () => {
    const { call, session, agent, put, get, workspace } = await makePack()
    put('a.txt', 'one')
    toSuccess(await call('read', { file_path: 'a.txt' }))
    const other = await call('write', { file_path: 'a.txt', content: 'x' }, session.agent('other'))
    expect(toFailed(other).error.code).toBe('FS_NOT_OBSERVED')
    await session.close()
    await using host = createToolHost({ workspace })
    await host.tools.load('builtin')
    const log = session.log ?? ''
    const again = host.openSession({ log }).agent(agent.id)
    const edit = makeCall('edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' })
    toSuccess(await again.tools.execute(edit))
    expect(get('a.txt')).toBe('two')
  })

  test('an edit says where it belongs or changes nothing', async () => {
    const { call, put, get } = await makePack()
    put('a.txt', 'x x')
    toSuccess(await call('read', { file_path: 'a.txt' }))
    const edit = (old_string: string, new_string: string, replace_all = false) =>
      call('edit', { file_path: 'a.txt', old_string, new_string, replace_all })
    for (const refused of [edit('', 'y'), edit('x', 'x'), edit('z', 'y'), edit('x', 'y')])
      expect(toFailed(await refused).error.code).toBe('TOOL_ERROR')
    expect(get('a.txt')).toBe('x x')
    toSuccess(await edit('x', '$&', true))
    expect(get('a.txt')).toBe('$& $&')
  })

  test('a patch changes all of its files or none', async () => {
    const { call, put, get, workspace } = await makePack()
    put('a.txt', 'one\ntwo\n')
    toSuccess(await call('read', { file_path: 'a.txt' }))
    const diff = '@@ -1,2 +1,2 @@\n one\n-two\n+2\n'
    const create = { file_path: 'b.txt', operation: 'create', content: 'b' }
    const misfit = { file_path: 'a.txt', diff: '@@ -1,1 +1,1 @@\n-three\n+3\n' }
    toFailed(await call('apply_patch', { patches: [create, misfit] }))
    expect(existsSync(join(workspace, 'b.txt'))).toBe(false)
    const done = await call('apply_patch', { patches: [create, { file_path: 'a.txt', diff }] })
    expect(toSuccess(done).meta).toMatchObject({ files: [{ isNew: true }, { isNew: false }] })
    expect([get('a.txt'), get('b.txt')]).toEqual(['one\n2\n', 'b'])
    const drop = { patches: [{ file_path: 'b.txt', operation: 'delete' }] }
    toSuccess(await call('apply_patch', drop))
    expect(existsSync(join(workspace, 'b.txt'))).toBe(false)
    expect(toFailed(await call('apply_patch', { patches: [] })).error.by).toBe('guard')
  })

  test('a read shows a window with its place, and refuses what is no text', async () => {
    const { call, put, events, workspace } = await makePack()
    put('a.txt', 'l1\nl2\nl3\nl4\n')
    const result = await call('read', { file_path: 'a.txt', offset: 2, limit: 2 })
    expect(toSuccess(result).value).toMatchObject({ content: 'l2\nl3', lines: 2, totalLines: 4 })
    expect(events('tool/result')[0]?.data['card']).toMatchObject({ card: 'read', offset: 2 })
    writeFileSync(join(workspace, 'b.bin'), Buffer.from([0x61, 0xff, 0xfe]))
    expect(toFailed(await call('read', { file_path: 'b.bin' })).error.code).toBe('TOOL_ERROR')
  })

  test('a search leaves out what is ignored, and finds lines and paths', async () => {
    const { call, put } = await makePack()
    put('.gitignore', '*.log\n')
    put('a.ts', 'const needle = 1\n')
    put('b.log', 'needle\n')
    const found = toSuccess(await call('search', { pattern: 'need.e' }))
    expect(found.value).toMatchObject({
      files: [{ path: 'workspace:/a.ts', matches: [{ lineNumber: 1, line: 'const needle = 1' }] }],
      total: 1,
    })
    const paths = toSuccess(await call('search', { glob: '*.log', include_ignored: true }))
    expect(paths.value).toMatchObject({ files: [{ path: 'workspace:/b.log' }] })
    expect(toFailed(await call('search', { pattern: '(a' })).error.code).toBe('TOOL_ERROR')
    const bomb = `${'a*'.repeat(8)}b`
    expect(toFailed(await call('search', { glob: bomb })).error.code).toBe('TOOL_ERROR')
  })
})
