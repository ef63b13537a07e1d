import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// Its engine for tests is a plugin of vitest.
const vitest = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs')
const env = { ...process.env, ORDERS: process.argv[2], VITEST: undefined }
const { status } = spawnSync(process.execPath, [vitest, 'run', '--reporter=dot', '--disable-console-intercept'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
  env,
})
process.exit(status ?? 1)
