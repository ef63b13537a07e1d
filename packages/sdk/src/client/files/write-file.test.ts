import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost } from '../../../test/file-host.ts'
import { createSavingClient, folderOfEachTest, resultOf } from '../../../test/saving-client.ts'
import type { SaveOptions } from './file-options.ts'

const folder = folderOfEachTest()

describe('a name that is taken', () => {
  const save = (content: string, options?: SaveOptions) =>
    createSavingClient(createFileHost({ content })).client.files.save(resultOf('job_1'), folder.path, options)

  test('by a file with the same content counts as saved', async () => {
    await save('pixels')
    const before = await stat(join(folder.path, 'job_1-0.png'))
    await expect(save('pixels')).resolves.toEqual([join(folder.path, 'job_1-0.png')])
    expect((await stat(join(folder.path, 'job_1-0.png'))).ino).toBe(before.ino)
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'pixels' })
  })

  test.each(['PIXELS', 'other pixels', ''])(
    'by a file with other content (%j) is an error, and it stays',
    async (other) => {
      await writeFile(join(folder.path, 'job_1-0.png'), other)
      const error = await caught(save('pixels'), ConfigurationError)
      expect(error.message).toContain('with other content exists and was not changed. Pass `overwrite: true`')
      expect(error.message).toContain("`client.jobs.attach('job_1').result()` gives it again")
      expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
      expect(await folder.files()).toEqual({ 'job_1-0.png': other })
    },
  )

  test('by a longer file with the same first bytes is an error', async () => {
    const content = 'x'.repeat(70_000)
    await writeFile(join(folder.path, 'job_1-0.png'), `${content}y`)
    const { client } = createSavingClient(createFileHost({ content, hasLength: false }))
    await caught(client.files.save(resultOf('job_1'), folder.path), ConfigurationError)
  })

  test('by a link is an error, and what it points to stays', async () => {
    await writeFile(join(folder.path, 'mine.txt'), 'mine')
    await symlink(join(folder.path, 'mine.txt'), join(folder.path, 'job_1-0.png'))
    await caught(save('pixels'), ConfigurationError)
    expect(await readFile(join(folder.path, 'mine.txt'), 'utf8')).toBe('mine')
  })

  test('is overwritten with `overwrite`', async () => {
    await writeFile(join(folder.path, 'job_1-0.png'), 'old')
    await save('pixels', { overwrite: true })
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'pixels' })
  })

  test('by another process that saves the same file at once is not an error', async () => {
    const saves = Array.from({ length: 8 }, () => save('pixels'.repeat(10_000)))
    await expect(Promise.all(saves)).resolves.toHaveLength(8)
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'pixels'.repeat(10_000) })
  })

  test('by another process that saves another file at once: one of them wins, the other fails', async () => {
    const contents = ['first ', 'second'].map((content) => content.repeat(10_000))
    const saves = await Promise.allSettled(contents.map((content) => save(content)))
    expect(saves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const winner = contents[saves.findIndex(({ status }) => status === 'fulfilled')]
    expect(await folder.files()).toEqual({ 'job_1-0.png': winner })
  })

  test('works where the file system has no links', async () => {
    const fs = process.getBuiltinModule('node:fs/promises')
    using link = vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error('no links'), { code: 'EPERM' }))
    await save('pixels')
    await save('pixels')
    await caught(save('others'), ConfigurationError)
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'pixels' })
    expect(link).toHaveBeenCalledTimes(3)
  })
})
