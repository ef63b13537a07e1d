import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRunError, type SaveOptions } from 'modelrun'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import type { HostileServer, Script, SocketAction } from '../hostile-service/hostile-server.ts'
import { findClosedPort, startHostileServer } from '../hostile-service/hostile-server.ts'
import { hangUp, json, raw, reset, response, silence } from '../hostile-service/server-responses.ts'
import type { Outcome, TestClock } from '../hostile-service/test-client.ts'
import { createTestClient, createTestClock, expectNoKey, observe } from '../hostile-service/test-client.ts'
import { chunkedVideo, compressedVideo, half, VIDEO, video, whole } from './video.ts'

const busy = response(503)

/** Promises a body and sends none of it. */
const never = raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', 'end')

/** A download that cannot succeed. */
interface GiveUp extends SaveOptions {
  responses: readonly SocketAction[] | 'closed port'
  error: string
  attempts: number
}

let folder: string
let clock: TestClock

beforeEach(() => {
  clock = createTestClock()
  folder = folderForTest()
})

async function start(script: Script): Promise<HostileServer> {
  const server = await startHostileServer({ ...script, onStall: clock.leap })
  onTestFinished(() => server.close())
  return server
}

interface Saved extends Outcome {
  service: HostileServer
  host: HostileServer | undefined
  /** What is in the folder. */
  files: string[]
}

/** Runs a model whose one file is at a host that follows a script, and saves the file. */
async function runAndSave(
  responses: readonly SocketAction[] | 'closed port',
  options: SaveOptions = {},
): Promise<Saved> {
  const host = responses === 'closed port' ? undefined : await start({ GET: responses })
  const url = `${host?.url ?? (await findClosedPort())}/job_1/0.mp4?signature=secret`
  const output = { type: 'video', items: [{ type: 'video', url }] }
  const service = await start({ POST: [json(200, { ...fixtures.runs.completed.body, job_id: 'job_1', output })] })
  const client = createTestClient(service.url, { clock })
  const result = await client.run('lumen/aurora-video', {}, { mode: 'sync' })
  const outcome = await observe((signal) => client.files.save(result, folder, { ...options, signal }))
  return { ...outcome, service, host, files: await readdir(folder) }
}

describe('a run whose file is at a host that', () => {
  test.each<[string, SocketAction[], SaveOptions?]>([
    ['works', [whole(video)]],
    ['works, without a length', [whole(chunkedVideo)]],
    ['is busy twice', [busy, busy, whole(video)]],
    ['resets the connection before the head', [reset, whole(video)]],
    ['hangs up before the head', [hangUp, whole(video)]],
    ['says nothing', [silence, whole(video)]],
    ['resets the connection in the body', [half(video, 'reset'), whole(video)]],
    ['cuts the body', [half(video, 'end'), whole(video)]],
    ['stalls in the body', [half(video, 'stall'), whole(video)]],
    ['cuts a body without a length', [half(chunkedVideo, 'end'), whole(chunkedVideo)]],
    ['cuts the body, then resets it', [half(video, 'end'), half(video, 'reset'), whole(video)]],
    ['compresses and cuts the body', [half(compressedVideo, 'end'), whole(compressedVideo)]],
    ['asks to wait', [response(429, '', [['retry-after', '0']]), whole(video)]],
    [
      'is busy twice, then resets, then cuts',
      [busy, busy, half(video, 'reset'), half(video, 'end'), whole(video)],
      { maxRetries: 4 },
    ],
  ])('%s: the file is complete, for one POST', async (_, responses, options) => {
    const { settled, service, host, files } = await runAndSave(responses, options)
    if (settled instanceof Error) throw settled
    expect(files).toEqual(['job_1-0.mp4'])
    expect((await readFile(join(folder, 'job_1-0.mp4'))).equals(VIDEO)).toBe(true)
    expect(service.requests.map(({ method }) => method)).toEqual(['POST'])
    for (const { headers } of host?.requests ?? []) expect(headers).not.toHaveProperty('authorization')
  })

  test.each<[string, GiveUp]>([
    ['is not there', { responses: 'closed port', error: 'ConnectionError', attempts: 3 }],
    ['does not have it any more', { responses: [response(404)], error: 'InvalidResponseError', attempts: 1 }],
    ['stays busy', { responses: [busy], error: 'InvalidResponseError', attempts: 3 }],
    ['resets every connection', { responses: [reset], error: 'ConnectionError', attempts: 3 }],
    ['never sends a whole body', { responses: [never], error: 'ConnectionError', attempts: 3 }],
    ['says nothing', { responses: [silence], error: 'AttemptTimeoutError', attempts: 3 }],
    [
      'is slower than the deadline',
      { responses: [silence], error: 'DeadlineExceededError', attempts: 1, deadlineMs: 20_000 },
    ],
    [
      'has a file that is too large',
      { responses: [whole(video)], error: 'InvalidResponseError', attempts: 1, maxBytes: 1_000 },
    ],
  ])('%s: the error names the job, and nothing is left', async (_, { responses, error, attempts, ...options }) => {
    const { settled, name, service, files } = await runAndSave(responses, options)
    expect(name).toBe(error)
    if (!(settled instanceof ModelRunError)) throw settled
    expect(settled).toMatchObject({ jobId: 'job_1', submission: 'accepted' })
    expect(settled.message).toContain("`client.jobs.attach('job_1').result()`")
    expect(settled.attempts).toHaveLength(attempts)
    expect(settled.message).not.toContain('secret')
    expectNoKey(settled)
    expect(service.requests).toHaveLength(1)
    expect(files).toEqual([])
  })
})
