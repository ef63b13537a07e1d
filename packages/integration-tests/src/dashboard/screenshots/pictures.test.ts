import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../code-blocks.ts'

it.each([
  ['dashboard-job-wide-light.png', 180_000],
  ['lost-response.svg', 400_000],
])('%s, which `npm run screenshots` draws, is small', async (name, most) => {
  expect((await readFile(join(ROOT, 'docs/images', name))).byteLength).toBeLessThan(most)
})

it('the video of a lost response goes round, and shows it', async () => {
  const video = await readFile(join(ROOT, 'docs/images/lost-response.svg'), 'utf8')
  for (const part of ['repeatCount="indefinite"', 'no response']) expect(video).toContain(part)
})
