// Good calls in every engine for a while: whether anything grows or slows down. `npm run bench:chaos -- --calm`
// is the same for as long as one likes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('./chaos.ts', import.meta.url))
const { status } = spawnSync(process.execPath, [file, '--calm', '--minutes', '0.75'], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
