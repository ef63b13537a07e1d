import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { createFileHost } from '../../../test/file-host.ts'
import { createSavingClient, createTestFolder, resultOf, type TestFolder } from '../../../test/saving-client.ts'
import type { Step } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { SaveError } from '../errors/local-errors.ts'

let folder: TestFolder

beforeEach(async () => {
  folder = await createTestFolder()
})

afterEach(() => folder.remove())

const host = createFileHost({ content: 'pixels' })

describe('files.save', () => {
  test.each([
    ['a name that is too long', { jobId: 'x'.repeat(300), place: '', code: 'ENAMETOOLONG' }],
    ['a folder that is a file', { jobId: 'job_1', place: 'taken', code: 'EEXIST' }],
    ['a folder below a file', { jobId: 'job_1', place: 'taken/deep', code: 'ENOTDIR' }],
    ['a folder that may not be', { jobId: 'job_1', place: 'nul\0', code: 'ERR_INVALID_ARG_VALUE' }],
  ])('says of %s that the result is not lost', async (_, { jobId, place, code }) => {
    await writeFile(join(folder.path, 'taken'), '')
    const { client } = createSavingClient(host)
    const error = await caught(client.files.save(resultOf(jobId), join(folder.path, place)), SaveError)
    expect(error).toMatchObject({ code: 'save_failed', jobId, submission: 'accepted', cause: { code } })
    expect(error.message).toContain(
      `The result of the job ${jobId} is not lost: \`client.jobs.attach('${jobId}').result()\``,
    )
  })

  test('fetches at most six files at once, and all of them', async () => {
    let underWay = 0
    let most = 0
    const slow: Step = async (request) => {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setTimeout(resolve, 2))
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
