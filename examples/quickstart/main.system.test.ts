import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('does the main job from end to end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-quickstart-'))
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=@modelrun/source', main], {
    cwd: folder,
  })
  const files = await readdir(join(folder, 'demo-output'))
  await rm(folder, { recursive: true })

  expect(stderr).toBe('')
  expect(stdout.match(/^ {2}handled /gm)).toHaveLength(1)
  expect(stdout.match(/delivery delivered/g)).toHaveLength(2)
  expect(stdout).toMatch(/^ {2}aurora-image +text-to-image +4$/m)
  expect(stdout.match(/\d+(?= credits charged)/g)).toEqual(['4', '60', '4', '0'])
  expect(stdout).toMatch(/Cancelled: it costs nothing\n {2}0 credits charged\n$/)
  expect(files.map((file) => file.split('.').at(-1)).sort()).toEqual(['mp4', 'png', 'png'])
})
