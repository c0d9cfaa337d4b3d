import { expect, test } from 'vitest'
import { openArena } from './attack.ts'
import { describeFlavours } from './flavours.ts'

describeFlavours((options) => {
  const arena = openArena(options)

  test.each([
    [
      'ATK-021 compiling a module',
      'new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
    ],
    ['ATK-021 a tag that catches exceptions', 'new WebAssembly.Tag({ parameters: [] })'],
    ['ATK-050 a memory', 'new WebAssembly.Memory({ initial: 1, maximum: 65536 }).grow(65000)'],
  ])('%s is a ReferenceError', async (_title, expression) => {
    const { result } = await arena.attack({ body: `return ${expression}` })
    expect(result).toMatchObject({
      isError: true,
      error: { code: 'TOOL_ERROR', thrown: { name: 'ReferenceError' } },
    })
    expect(result.isError && result.error.message).toContain('WebAssembly')
  })
})
