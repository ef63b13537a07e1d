import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError, ModelRunError } from '@modelrun/kit'
import { describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost } from '../../../test/file-host.ts'
import { settle } from '../../../test/manual-clock.ts'
import { createSavingClient, folderOfEachTest, resultOf } from '../../../test/saving-client.ts'
import type { Step } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { SaveError } from '../errors/local-errors.ts'
import { AbortedError, DeadlineExceededError } from '../errors/transport-errors.ts'
import type { SaveOptions } from './file-options.ts'

const folder = folderOfEachTest()

const host = createFileHost({ content: 'pixels' })

describe('files.save', () => {
  test.each([
    ['a name that is too long', { jobId: 'x'.repeat(300), place: 'x'.repeat(300), code: 'ENAMETOOLONG' }],
    ['a folder that is a file', { jobId: 'job_1', place: 'taken', code: 'EEXIST' }],
    ['a folder below a file', { jobId: 'job_1', place: 'taken/deep', code: 'ENOTDIR' }],
    ['a folder that may not be', { jobId: 'job_1', place: 'nul\0', code: 'ERR_INVALID_ARG_VALUE' }],
  ])('says of %s that the result is not lost', async (_, { jobId, place, code }) => {
    await writeFile(join(folder.path, 'taken'), '')
    const { client, service } = createSavingClient(host)
    const error = await caught(client.files.save(resultOf(jobId), join(folder.path, place)), SaveError)
    expect(error).toMatchObject({ code: 'save_failed', jobId, submission: 'accepted', cause: { code } })
    expect(service.received).toHaveLength(0)
    expect(error.message).toContain(
      `The result of the job ${jobId} is not lost: \`client.jobs.attach('${jobId}').result()\``,
    )
  })

  const FILE = { type: 'image', url: 'https://files.example.com/0.png' }
  const save = (item: object) => {
    const output = { type: 'image', items: [FILE, item as typeof FILE, FILE] }
    return createSavingClient(host).client.files.save({ job_id: 'job_1', output }, folder.path)
  }

  test.each([
    [{ type: 'image', url: 'data:image/png;base64,cGl4ZWxz' }, 'job_1-1.png', 'pixels'],
    [{ type: 'image', url: 'data:image/svg+xml,%3Csvg%2F%3E' }, 'job_1-1.svg', '<svg/>'],
    [{ type: 'image', url: 'data:;base64,cGl4ZWxz' }, 'job_1-1.txt', 'pixels'],
    [{ type: 'text', text: 'a red fox' }, 'job_1-1.txt', 'a red fox'],
    [{ type: 'text', url: null, text: 'a red fox' }, 'job_1-1.txt', 'a red fox'],
    ['fox', 'job_1-1.txt', 'fox'],
    ['Note: a red fox', 'job_1-1.txt', 'Note: a red fox'],
    [' data:;base64,cGl4ZWxz', 'job_1-1.txt', 'pixels'],
    ['data:text/plain,100%25 caf\u00e9%20%E2%82%AC%', 'job_1-1.txt', '100% caf\u00e9 \u20ac%'],
    ['data:image/png,%FF', 'job_1-1.png', '\ufffd'],
  ])('saves the item %j, whose content is in the response', async (item, name, content) => {
    await save(item as object)
    expect(await folder.files()).toEqual({ 'job_1-0.png': 'pixels', [name]: content, 'job_1-2.png': 'pixels' })
  })

  test.each([
    [{ type: 'image', url: '/files/1.png' }],
    [{ type: 'image', url: 'ftp://files.example.com/1.png' }],
    [{ type: 'image', url: 'data:image/png;base64,%' }],
    [{ type: 'image' }],
    [null],
    ['/files/1.png'],
    ['ftp://files.example.com/1.png'],
    [7],
  ])('names the item %j, of which no file can be made, and its job', async (item) => {
    const error = await caught(save(item as object), ConfigurationError)
    expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
    expect(error.message).toContain('The item 1 of the output cannot be saved: ')
    expect(Object.keys(await folder.files())).toEqual(['job_1-0.png', 'job_1-2.png'])
  })

  describe.each(['mkdir', 'open', 'link', 'rename', 'rm'] as const)(
    'where `%s` of the file system never responds',
    (name) => {
      const save = async (stop: (controller: AbortController) => SaveOptions) => {
        const controller = new AbortController()
        const fs = process.getBuiltinModule('node:fs/promises')
        using hanging = vi.spyOn(fs, name).mockImplementation(() => {
          controller.abort()
          return new Promise<never>(() => {})
        })
        const options = { overwrite: name === 'rename', ...stop(controller) }
        const { client } = createSavingClient(host)
        const error = await caught(
          client.files.save(resultOf('job_1'), join(folder.path, 'made'), options),
          ModelRunError,
        )
        expect(error).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
        expect(error.message).toContain('The result of the job job_1 is not lost')
        return { error, callCount: hanging.mock.calls.length }
      }

      test('rejects at once when it is aborted', async () => {
        const { error, callCount } = await save(({ signal }) => ({ signal }))
        expect(error).toBeInstanceOf(AbortedError)
        expect(callCount).toBe(1)
      })

      test('rejects at the deadline', async () => {
        const { error } = await save(() => ({ deadlineMs: 50 }))
        expect(error).toBeInstanceOf(DeadlineExceededError)
      })
    },
  )

  test('makes no folder after the abort', async () => {
    const { client } = createSavingClient(host)
    const options = { signal: AbortSignal.abort() }
    await caught(client.files.save(resultOf('job_1'), join(folder.path, 'made'), options), AbortedError)
    expect(await folder.files()).toEqual({})
  })

  test('fetches at most six files at once, and all of them', async () => {
    let underWay = 0
    let most = 0
    const slow: Step = async (request) => {
      most = Math.max(most, ++underWay)
      await settle()
      underWay--
      return host(request)
    }
    const { client } = createTestClient([slow], { maxRetries: 0 })
    const paths = await client.files.save(resultOf('job_1', 50), folder.path)
    expect(new Set(paths).size).toBe(50)
    expect(Object.keys(await folder.files())).toHaveLength(50)
    expect(most).toBe(6)
  })
})
