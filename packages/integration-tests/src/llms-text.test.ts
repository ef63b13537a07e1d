import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

it('lists every guide for tools, with its title and first sentence (npm run llms updates the file)', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/llms-text.mjs'], { cwd: root })
  await expect(stdout).toMatchFileSnapshot(`${root}llms.txt`)
})
