import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { InvalidResponseError } from '../errors/transport-errors.ts'
import { getJobOperation } from '../jobs/job-operations.ts'
import { listModelsOperation } from '../models/model-operations.ts'
import { runOperation } from '../runs/run-operation.ts'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'

const received = (text: string, isCut = false): ReceivedResponse => ({
  status: 200,
  text,
  isCut,
  requestId: undefined,
  response: new Response(null),
})

const OPERATIONS = {
  job: getJobOperation('job_1'),
  models: listModelsOperation({}),
  run: runOperation('m', { input: {} }),
}

/** Why a response cannot be read. */
function problemOf(operation: keyof typeof OPERATIONS, text: string, isCut = false): string {
  try {
    OPERATIONS[operation].read(received(text, isCut))
  } catch (error) {
    if (error instanceof UnreadableResponse) return error.problem
    throw error
  }
  throw new Error('The response can be read.')
}

describe('a response', () => {
  test.each([
    ['job', '{"data":{"status":1}}', '/data/status'],
    ['job', '{"data":{"status":7,"output":null}}', '/data/status'],
    ['job', '{"data":{"status":"succeeded","output":{"url":"x"}}}', '/data/output/items'],
    ['job', '{"job":{}}', '/data'],
    ['job', '[]', '/data'],
    ['job', 'null', '/data'],
    ['models', '{"models":{}}', '/models'],
    ['run', '{"status":"queued"}', '/job_id'],
  ] as const)('of the kind %s is rejected with a JSON pointer: %s', (operation, text, pointer) => {
    expect(problemOf(operation, text)).toContain(`wrong shape at ${pointer}: `)
  })

  test('keeps members that the client does not know, and drops null for absent ones (section 4.4)', () => {
    const read = OPERATIONS.job.read(
      received('{"data":{"status":"processing","output":null,"error":null,"position":3,"later":null},"extra":1}'),
    )
    expect(read).toEqual({ status: 'processing', position: 3, later: null })
  })

  test('shows the first characters of a body that is not JSON, on one line', () => {
    expect(problemOf('job', '<html>\n<body>')).toBe('the body is not JSON; it starts with "<html>\\n<body>"')
    expect(problemOf('job', 'x'.repeat(80))).toContain(`"${'x'.repeat(80)}"`)
    expect(problemOf('job', 'x'.repeat(10_000))).toContain(`"${'x'.repeat(80)}…"`)
  })

  test.each(['', ' \n '])('says that the body %j is empty', (text) => {
    expect(problemOf('job', text)).toBe('the body is empty')
  })

  test('that was cut is read when its JSON is whole, whatever its content-length says', () => {
    expect(OPERATIONS.job.read(received('{"data":{"status":"queued"}}', true))).toEqual({ status: 'queued' })
    for (const part of ['{"data":{"status":"queued"}', '12', '"queued"']) {
      expect(problemOf('job', part, true)).toBe(`the connection ended after ${part.length} characters of the body`)
    }
  })

  test('never pollutes a prototype', () => {
    const value = OPERATIONS.job.read(
      received('{"data":{"status":"a","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}'),
    )
    expect(value).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('polluted')
  })

  test('throws nothing but UnreadableResponse, whatever the text', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((text) => text.slice(0, -1)),
    )
    fc.assert(
      fc.property(anyText, fc.constantFrom(...Object.values(OPERATIONS)), fc.boolean(), (text, operation, isCut) => {
        try {
          operation.read(received(text, isCut))
          return true
        } catch (error) {
          return error instanceof UnreadableResponse && error.problem !== ''
        }
      }),
      { numRuns: 500 },
    )
  })
})

const SIZE = 400_000
const fill = (head: string, unit: string, tail: string) => `${head}${unit.repeat(SIZE / unit.length)}${tail}`
const RUN = '{"job_id":"job_1","status":"queued"'
const ITEMS = '{"status":"completed","job_id":"job_1","output":{"items":['
const HOSTILE = {
  'many numbers': fill(`${ITEMS}`, '0,', '0]}}'),
  'many items': fill(`${ITEMS}`, '{},', '{}]}}'),
  'many members': `${RUN}${Array.from({ length: SIZE / 7 }, (_, at) => `,"k${at}":1`).join('')}}`,
  'deep lists': fill(`${RUN},"x":`, '[', '}'),
  'deep objects': fill(`${RUN},"x":`, '{"a":', '}'),
}
const HARMLESS = {
  'a long string of escapes': fill(`${RUN},"x":"`, '\\"', '"}'),
  'a long string of backslashes': fill(`${RUN},"x":"`, '\\\\', '"}'),
  'a long string of brackets': fill(`${RUN},"x":"`, '[{,', '"}'),
  'a long number': fill(`${RUN},"x":`, '1', '}'),
}

describe('no body costs more than its size', () => {
  afterEach(() => void vi.restoreAllMocks())

  /** What a call ends with, and how many characters `JSON.parse` got meanwhile. */
  async function costOf(body: string, call: 'run' | 'get') {
    const { client } = createTestClient([text(200, body)], { maxRetries: 0 })
    const parse = vi.spyOn(JSON, 'parse')
    const work = call === 'run' ? client.models.run('m', { input: {} }) : client.jobs.get('job_1')
    const end = await work.then(
      (value: unknown) => value,
      (error: unknown) => error,
    )
    return { end, parsed: parse.mock.calls.reduce((sum, [given]) => sum + String(given).length, 0) }
  }

  test.each(Object.entries(HOSTILE))('%s are not parsed; the job that they name is known', async (_, body) => {
    const run = await costOf(body, 'run')
    expect(run).toMatchObject({ end: { status: 'unknown', job_id: 'job_1' } })
    expect(run.parsed).toBeLessThan(1_000)
    const get = await costOf(body, 'get')
    expect(get.end).toMatchObject({ name: 'InvalidResponseError', jobId: 'job_1', isRetryable: false })
    expect(get.parsed).toBeLessThan(1_000)
  })

  test.each(Object.entries(HARMLESS))('%s is parsed once', async (_, body) => {
    const { end, parsed } = await costOf(body, 'run')
    expect(end).toMatchObject({ status: 'queued', job_id: 'job_1' })
    // The service of the test parses the request.
    expect(parsed - body.length).toBeLessThan(100)
  })

  test('a body that is too large is not a cut connection: it is not fetched again, and the error names the limit', async () => {
    const { client, service } = createTestClient([text(200, ' '.repeat(10 * 1024 * 1024 + 1))])
    const error = await caught(client.jobs.get('job_1'), InvalidResponseError)
    expect(error).toMatchObject({ jobId: 'job_1', isRetryable: false })
    expect(error.message).toContain('the body is larger than 10485760 bytes')
    expect(service.received).toHaveLength(1)
  })
})
