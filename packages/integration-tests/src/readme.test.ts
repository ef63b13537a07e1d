import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const here = dirname(fileURLToPath(import.meta.url))
const readme = await readFile(join(here, '../../../README.md'), 'utf8')

/** Every TypeScript block of the README, with the heading it stands under. */
const blocks = readme.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ''], index) => ({
    title: `${section.split('\n', 1)[0]} (${index + 1})`,
    code,
  })),
)

describe('the README', () => {
  let folder: string

  beforeAll(async () => {
    // Inside the package, so that its imports resolve.
    folder = await mkdtemp(join(here, '.readme-'))
  })

  afterAll(async () => {
    await rm(folder, { recursive: true })
  })

  it('shows a quickstart of at most ten lines', () => {
    const quickstart = blocks.find(({ title }) => title.startsWith('Quickstart'))
    expect(quickstart?.code.trim().split('\n').length).toBeLessThanOrEqual(10)
  })

  it.each(blocks)('shows an example that runs: $title', async ({ title, code }) => {
    const file = join(folder, `${title.replace(/\W+/g, '-')}.ts`)
    await writeFile(file, code)
    const run = promisify(execFile)(process.execPath, ['--conditions=@modelrun/source', file], { cwd: folder })
    await expect(run).resolves.toMatchObject({ stderr: '' })
  })
})
