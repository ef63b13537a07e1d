import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRunError, type ModelRunOptions } from 'modelrun'
import { afterEach, describe, expect, test } from 'vitest'
import { type HostileServer, type Script, type SocketAction, startHostileServer } from './hostile-server.ts'
import { READ_FAULTS } from './read-faults.ts'
import { hangUp, json, partial, reset, response, silence } from './server-responses.ts'
import { createTestClient, createTestClock, observe } from './test-client.ts'

let server: HostileServer

async function start(script: Script, options: ModelRunOptions = {}) {
  const clock = createTestClock()
  server = await startHostileServer({ ...script, onStall: clock.leap })
  return createTestClient(server.url, { clock, ...options })
}

afterEach(async () => {
  await server.close()
})

describe('a read at a service that (section 4.1)', () => {
  test.each(READ_FAULTS)('$name: the service gets $gets, the caller $outcome', async (fault) => {
    const client = await start({ GET: fault.responses })
    const { settled, name } = await observe((signal) => client.models.list({}, { signal }))
    expect(name).toBe(fault.outcome)
    expect(server.requests).toHaveLength(fault.gets)
    if (settled instanceof ModelRunError) {
      expect(settled).toMatchObject({ submission: 'not_sent', isRetryable: fault.isRetryable })
      expect(settled.attempts).toHaveLength(fault.gets)
    }
  })
})

describe('a wait at a service that (section 4.4)', () => {
  const done = json(200, fixtures.jobs.succeeded.body)
  const state = (status: string) => json(200, { data: { status } })

  test.each<[string, readonly SocketAction[]]>([
    ['resets for a while', [reset, reset, reset, reset, reset, reset, done]],
    ['responds with 522 for a while', [json(522, {}), json(522, {}), done]],
    ['shows a web page for a while', [response(200, '<html>'), response(503, '<html>'), done]],
    ['says an unknown status', [state('warming'), state('warming'), done]],
    ['responds with 429 and Retry-After: 0', [json(429, {}, [['retry-after', '0']]), done]],
    ['cuts its responses', [partial(200, '{"data":{"status":"succ', 'end'), done]],
    ['never responds to one of them', [state('processing'), silence, done]],
  ])('%s gets the result in the end', async (_, responses) => {
    const client = await start({ GET: responses })
    const { settled } = await observe((signal) => client.jobs.attach('job_1').result({ signal, deadlineMs: 6_000_000 }))
    expect(settled).toMatchObject({ job_id: 'job_1', status: 'succeeded' })
  })

  // The job is known to exist only once the service has said so: the caller alone named its id.
  test.each<[string, SocketAction, string, string]>([
    ['resets for ever', reset, 'DeadlineExceededError', 'unknown'],
    ['never responds', silence, 'DeadlineExceededError', 'unknown'],
    ['never finishes', state('processing'), 'DeadlineExceededError', 'accepted'],
    ['never leaves an unknown status', state('warming'), 'DeadlineExceededError', 'accepted'],
    ['responds with 404', json(404, {}), 'NotFoundError', 'unknown'],
    ['responds with 401', json(401, {}), 'AuthenticationError', 'unknown'],
    ['wraps nothing', json(200, { status: 'succeeded' }), 'InvalidResponseError', 'unknown'],
    ['gives no output', state('succeeded'), 'InvalidResponseError', 'accepted'],
  ])('%s ends with an error that keeps the job', async (...[, bad, outcome, submission]) => {
    const client = await start({ GET: [bad] }, { polling: { initialIntervalMs: 1_000, maxIntervalMs: 1_000 } })
    const { settled, name } = await observe((signal) =>
      client.jobs.attach('job_1').result({ signal, deadlineMs: 60_000 }),
    )
    expect(name).toBe(outcome)
    expect(settled).toMatchObject({ jobId: 'job_1', submission })
  })
})

describe('a cancel at a service that (section 4.5)', () => {
  const gone = json(404, { error: { code: 'NOT_FOUND', message: 'gone' } })

  test.each<[string, readonly SocketAction[], string, number]>([
    ['responds with 204', [(socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n')], 'success', 1],
    ['responds with an empty 200', [response(200)], 'success', 1],
    ['resets, and knows no such job after that', [reset, gone], 'success', 2],
    ['hangs up, and knows no such job after that', [hangUp, gone], 'success', 2],
    ['responds with 503, and knows no such job after that', [json(503, {}), gone], 'success', 2],
    ['knows no such job', [gone], 'NotFoundError', 1],
    ['has finished the job', [json(409, {})], 'ConflictError', 1],
    ['shows a web page', [response(200, '<html>')], 'InvalidResponseError', 1],
    ['resets for ever', [reset], 'ConnectionError', 3],
  ])('%s', async (...row) => {
    const [, responses, outcome, requestCount] = row
    const client = await start({ DELETE: responses, GET: [json(200, fixtures.jobs.cancelled.body)] })
    const { name } = await observe((signal) => client.jobs.cancel('job_1', { signal }))
    expect(name).toBe(outcome)
    const methods = server.requests.map(({ method }) => method)
    expect(methods.filter((method) => method === 'DELETE')).toHaveLength(requestCount)
    // Where the response has no status, one read of the job decides.
    expect(methods.filter((method) => method === 'GET')).toHaveLength(outcome === 'success' ? 1 : 0)
  })
})
