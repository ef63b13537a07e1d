import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { failedResponse } from '../../../test/failed-calls.ts'
import { settle } from '../../../test/manual-clock.ts'
import { text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { getJobOperation } from '../jobs/job-operations.ts'
import { getModelOperation, listModelsOperation } from '../models/model-operations.ts'
import { runOperation } from '../runs/run-operation.ts'
import { type ReceivedResponse, UnreadableResponse } from './operation.ts'
import { parseLoosely, readBody } from './read-response.ts'

const MEBIBYTE = 1024 * 1024

const never = new AbortController().signal

/** A response that sends chunks, then ends, fails or stalls. */
function chunked(chunks: readonly Uint8Array[], end: 'close' | 'fail' | 'stall') {
  const cancel = vi.fn()
  const rest = [...chunks]
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = rest.shift()
      if (chunk) controller.enqueue(chunk)
      else if (end === 'close') controller.close()
      else if (end === 'fail') controller.error(new TypeError('terminated'))
      else return new Promise(() => {})
      return undefined
    },
    cancel,
  })
  return { response: new Response(stream), cancel }
}

const bytes = (text: string) => new TextEncoder().encode(text)

const EURO = bytes('€')
const whole = new Uint8Array(10 * MEBIBYTE).fill(97)

describe('readBody', () => {
  test.each([
    ['a body to its end', [bytes('{"a"'), bytes(':1}')], 'close', '{"a":1}'],
    ['a character whose bytes come in two chunks', [EURO.subarray(0, 1), EURO.subarray(1)], 'close', '€'],
    ['a last character that is incomplete', [EURO.subarray(0, 2)], 'close', '\ufffd'],
    ['what came before the connection broke', [bytes('{"job_id":"job_1"')], 'fail', '{"job_id":"job_1"'],
    ['a body of exactly 10 MiB', [whole], 'close', 'a'.repeat(whole.length)],
  ] as const)('reads %s', async (...row) => {
    const [, chunks, end, expected] = row
    const read = await readBody(chunked(chunks, end).response, never)
    expect([read.isCut, read.text.length, read.text === expected]).toEqual([end === 'fail', expected.length, true])
  })

  test('reads an absent body as empty, and drops a byte order mark', async () => {
    await expect(readBody(new Response(null, { status: 204 }), never)).resolves.toEqual({ text: '', isCut: false })
    await expect(readBody(new Response('\ufeff{}'), never)).resolves.toMatchObject({ text: '{}' })
  })

  test('stops at 10 MiB, says so, and frees the connection', async () => {
    const { response, cancel } = chunked([whole, bytes('a')], 'stall')
    const { text, isCut, problem } = await readBody(response, never)
    expect([text.length, isCut]).toEqual([10 * MEBIBYTE, false])
    expect(problem).toContain('larger than 10 MiB')
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('reads the text of a response without a stream, as React Native has them', async () => {
    const response = { text: async () => '{}', bodyUsed: false } as Response
    const atOnce = { text: () => '{}' } as unknown as Response
    for (const one of [response, atOnce])
      await expect(readBody(one, never)).resolves.toEqual({ text: '{}', isCut: false })
    const failing = { text: () => Promise.reject(new TypeError('Network request failed')) } as unknown as Response
    await expect(readBody(failing, never)).resolves.toEqual({ text: '', isCut: true })
  })

  test('settles at once with what came when the signal aborts, and frees the connection and the signal', async () => {
    const controller = new AbortController()
    const { response, cancel } = chunked([bytes('{"job_id"')], 'stall')
    const reading = readBody(response, controller.signal)
    await settle()
    controller.abort('enough')
    await expect(reading).resolves.toEqual({ text: '{"job_id"', isCut: true })
    expect(cancel).toHaveBeenCalledOnce()
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })
})

const received = (text: string, isCut = false): ReceivedResponse => ({ ...failedResponse(200, text).received, isCut })

const OPERATIONS = {
  job: getJobOperation('job_1'),
  model: getModelOperation('m'),
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
    ['model', '{"name":"a"}', '/id'],
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
  'many words of Python': fill(`${RUN},"x":`, 'NaN ', '}'),
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
})

test.each([
  ['{"a":NaN}', { a: null }],
  ['{"a":[-Infinity,Infinity,1],"b":"NaN, \\"Infinity\\""}', { a: [null, null, 1], b: 'NaN, "Infinity"' }],
  ['NaN', null],
  ['{"a":NaNa}', undefined],
  ['{"a":NaN,"b":"cut', undefined],
  ['{"Infinity":1}', { Infinity: 1 }],
])('takes the JSON of Python: %s', (body, value) => {
  expect(parseLoosely(body)).toEqual(value)
})

test('takes time in proportion to a body that is hostile', () => {
  const body = `{"a":NaN,"b":"${'\\"'.repeat(2_000_000)}`
  expect(parseLoosely(body)).toBeUndefined()
  expect(parseLoosely(`[${'NaN"'.repeat(1_000_000)}`)).toBeUndefined()
})
