import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ConfigurationError } from '../errors/local-errors.ts'
import { ConnectionError, InvalidResponseError } from '../errors/transport-errors.ts'
import { caught } from '../testing/caught.ts'
import { cut, text } from '../testing/scripted-service.ts'
import { createTestClient } from '../testing/test-client.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelrun-files-'))
})

afterEach(async () => {
  vi.unstubAllGlobals()
  await rm(folder, { recursive: true })
})

const resultOf = (job_id: string, count: number) => ({
  job_id,
  output: {
    type: 'image',
    items: Array.from({ length: count }, (_, index) => ({
      type: 'image',
      url: `https://files.example.com/${index}.png`,
    })),
  },
})

describe('files.save (section 2.5)', () => {
  test('saves every file of a result in a folder, which it makes', async () => {
    const { client } = createTestClient([text(200, 'first'), text(200, 'second')])
    const target = join(folder, 'deep', 'er')
    const paths = await client.files.save(resultOf('job_1', 2), target)
    expect(paths).toEqual([join(target, 'job_1-0.png'), join(target, 'job_1-1.png')])
    expect((await Promise.all(paths.map((path) => readFile(path, 'utf8')))).sort()).toEqual(['first', 'second'])
  })

  test('names files after the type that the answer has', async () => {
    const { client } = createTestClient([text(200, 'x', { 'content-type': 'audio/wav' })])
    await expect(client.files.save(resultOf('job_1', 1), folder)).resolves.toEqual([join(folder, 'job_1-0.wav')])
  })

  test('does not leave the folder, whatever the id of the job', async () => {
    const { client } = createTestClient([text(200, 'x')])
    await client.files.save(resultOf('../../outside', 1), folder)
    expect(await readdir(folder)).toEqual(['.._.._outside-0.png'])
  })

  test.each([
    ['breaks', cut(200, 'half'), ConnectionError],
    ['is refused', text(403, ''), InvalidResponseError],
  ])('leaves no half of a file when the download %s', async (_, step, type) => {
    const { client } = createTestClient([step])
    await caught<Error>(client.files.save(resultOf('job_1', 1), folder), type)
    expect(await readdir(folder)).toEqual([])
  })

  test('says so where there is no file system', async () => {
    const { client } = createTestClient([text(200, 'x')])
    vi.stubGlobal('process', undefined)
    await caught(client.files.save(resultOf('job_1', 1), folder), ConfigurationError)
  })
})
