import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// A process of its own, because it replaces the global `fetch`.
test('keeps the promises in 2,000 random sequences', async () => {
  const program = ['--conditions=@modelrun/source', join(import.meta.dirname, 'main.ts'), '--count', '2000']
  const { stdout } = await promisify(execFile)(process.execPath, program)
  expect(stdout).toContain('broken: 0')
})
