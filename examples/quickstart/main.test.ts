import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the main job works from end to end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quickstart-'))
  const command = [...process.execArgv, join(import.meta.dirname, 'main.ts')]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: folder })
  const files = await readdir(join(folder, 'demo-output'))
  await rm(folder, { recursive: true })

  assert.equal(stderr, '')
  assert.equal(stdout.match(/^ {2}handled /gm)?.length, 1)
  assert.equal(stdout.match(/delivery delivered/g)?.length, 2)
  assert.match(stdout, /^ {2}aurora-image +text-to-image +4$/m)
  assert.deepEqual(stdout.match(/\d+(?= credits charged)/g), ['4', '60', '4', '0'])
  assert.match(stdout, /Cancelled: it costs nothing\n {2}0 credits charged\n$/)
  assert.deepEqual(files.map((file) => file.split('.').at(-1)).sort(), ['mp4', 'png', 'png'])
})
