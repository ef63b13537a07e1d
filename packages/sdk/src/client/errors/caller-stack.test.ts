import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { createFileHost } from '../../../test/file-host.ts'
import { errorResponse, json, type Step, silent, unconnected } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { ModelRun } from '../client.ts'

const queued = json(202, fixtures.runs.queued.body)
const failed = json(200, fixtures.jobs.failed.body)
const running = json(200, fixtures.jobs.processing.body)
const missing = errorResponse(404, 'NOT_FOUND')

const brokenFile = createFileHost({ content: 'pixels', faults: Array(9).fill({ bytes: 3, how: 'breaks' }) })
const FILE_URL = 'https://files.example.com/job_1/0.png'

const INPUT = { prompt: 'a red fox' }

/** The program of a user: its error has to show this function. */
type Program = (client: ModelRun) => Promise<unknown>

async function collect(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

const PROGRAMS: readonly [situation: string, steps: Step[], program: Program][] = [
  [
    'a model that does not exist',
    [missing],
    async function userCode(client) {
      await client.run('nope', INPUT)
    },
  ],
  [
    'a submission that is rejected',
    [missing],
    async function userCode(client) {
      await client.submit('nope', INPUT)
    },
  ],
  [
    'a failed job, found by polls',
    [queued, running, failed],
    async function userCode(client) {
      await client.run('aurora-image', INPUT, { mode: 'async' })
    },
  ],
  [
    'a deadline',
    [queued, running],
    async function userCode(client) {
      await client.run('aurora-image', INPUT, { deadlineMs: 5_000 })
    },
  ],
  [
    'a connection that is refused',
    [unconnected('ECONNREFUSED')],
    async function userCode(client) {
      await client.run('aurora-image', INPUT)
    },
  ],
  [
    'a time limit',
    [silent()],
    async function userCode(client) {
      await client.submit('aurora-image', INPUT)
    },
  ],
  [
    'the result of a job handle',
    [queued, failed],
    async function userCode(client) {
      const job = await client.submit('aurora-image', INPUT)
      await job.result()
    },
  ],
  [
    'the updates of a job handle',
    [queued, missing],
    async function userCode(client) {
      const job = await client.submit('aurora-image', INPUT)
      await collect(job.updates())
    },
  ],
  [
    'jobs.get',
    [missing],
    async function userCode(client) {
      await client.jobs.get('nope')
    },
  ],
  [
    'jobs.get with its response',
    [missing],
    async function userCode(client) {
      await client.jobs.get('nope').withResponse()
    },
  ],
  [
    'jobs.cancel',
    [missing],
    async function userCode(client) {
      await client.jobs.cancel('nope')
    },
  ],
  [
    'job.result, of a known id',
    [missing],
    async function userCode(client) {
      await client.jobs.attach('nope').result()
    },
  ],
  [
    'job.updates, of a known id',
    [missing],
    async function userCode(client) {
      await collect(client.jobs.attach('nope').updates())
    },
  ],
  [
    'jobs.settle',
    [missing],
    async function userCode(client) {
      for await (const job of client.jobs.settle(['nope'])) if (job.status === 'rejected') throw job.reason
    },
  ],
  [
    'runMany',
    [queued, failed],
    async function userCode(client) {
      for await (const run of client.runMany('m', [INPUT])) if (run.status === 'rejected') throw run.reason
    },
  ],
  [
    'runMany that stops',
    [missing],
    async function userCode(client) {
      await collect(client.runMany('m', [INPUT], { stopOnError: true }))
    },
  ],
  [
    'models.get',
    [missing],
    async function userCode(client) {
      await client.models.get('nope')
    },
  ],
  [
    'models.list',
    [missing],
    async function userCode(client) {
      await client.models.list()
    },
  ],
  [
    'a later page of models.list',
    [json(200, { ...fixtures.models.listFirstPage.body, total: 100 }), missing],
    async function userCode(client) {
      await collect(client.models.list())
    },
  ],
  [
    'models.run',
    [missing],
    async function userCode(client) {
      await client.models.run('nope', { input: INPUT })
    },
  ],
  [
    'client.request',
    [missing],
    async function userCode(client) {
      await client.request('GET', '/v1/usage')
    },
  ],
  [
    'files.download',
    [missing],
    async function userCode(client) {
      await client.files.download(FILE_URL)
    },
  ],
  [
    'the bytes of a file',
    [brokenFile, missing],
    async function userCode(client) {
      const file = await client.files.download(FILE_URL)
      await file.bytes()
    },
  ],
  [
    'result.save',
    [json(200, fixtures.runs.completed.body)],
    async function userCode(client) {
      const result = await client.run('aurora-image', INPUT)
      await result.save(undefined as unknown as string)
    },
  ],
]

describe('an error shows first the line of the program that called', () => {
  test.each(PROGRAMS)('for %s', async (_, steps, program) => {
    const { client, clock } = createTestClient(steps)
    const error: unknown = await clock.run(program(client)).catch((reason) => reason)
    if (!(error instanceof Error)) throw new Error('The program did not fail.')
    const [header, frame, ...frames] = (error.stack ?? '').split(/\n\s+at /)
    expect(header).toBe(`${error.name}: ${error.message}`)
    expect(frame).toContain('caller-stack.test.ts')
    expect([frame, ...frames].join()).toContain('userCode')
  })
})

test('an error that a caller wraps himself keeps its own stack', async () => {
  const { client } = createTestClient([missing])
  const wrapped = await client.jobs.get('nope').catch((cause) => new RangeError('mine', { cause }))
  expect(wrapped).toMatchObject({ cause: { name: 'NotFoundError' } })
})
