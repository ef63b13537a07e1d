import { fixtures } from '@modelrun/contract/fixtures'
import { ModelRunError } from '@modelrun/kit'
import { expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { collect } from '../../../test/collect.ts'
import { errorResponse, json, type Step, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { ModelRun } from '../client.ts'
import type { RunOptions } from '../runs/run-options.ts'

const id =
  (step: Step, name: string): Step =>
  async (request) => {
    const response = await step(request)
    response.headers.set('x-request-id', name)
    return response
  }
const sent = id(json(202, fixtures.runs.queued.body), 'post')
const model = id(json(200, fixtures.models.textToImage.body), 'model')
const missing = id(errorResponse(404, 'NOT_FOUND'), 'last')
const running = id(json(200, { data: { status: 'processing' } }), 'poll')
const url = 'https://files.example.com/fox.png'
const file = id(text(200, 'png'), 'file')
const output = { type: 'image', items: [{ type: 'image', url }] }
const runs = (options: RunOptions) => (client: ModelRun) => client.run('m', {}, options)

test.each<[string, Step[], (client: ModelRun) => PromiseLike<unknown>, string?]>([
  ['the first poll', [sent, missing], runs({ mode: 'async' })],
  ['a later poll', [sent, running, running, missing], runs({ mode: 'async' })],
  ['a poll of an attached job', [running, missing], (client) => client.jobs.attach('job_1').result()],
  [
    'a poll of several jobs',
    [sent, missing],
    async (client) => {
      const [run] = await collect(client.runMany('m', [{}]))
      throw run?.status === 'rejected' ? run.reason : run
    },
  ],
  [
    'a loop that its caller ends',
    [sent, running],
    async (client) => {
      const controller = new AbortController()
      const onProgress = () => controller.abort()
      await collect(client.runMany('m', [{}], { onProgress, signal: controller.signal }))
    },
    'post',
  ],
  ['the read after a cancel', [id(text(204, ''), 'delete'), missing], (client) => client.jobs.cancel('job_1')],
  ['a run that is rejected after its price was read', [model, missing], runs({ maxCredits: 99 })],
  ['a price above the limit', [model], runs({ maxCredits: 1 }), 'model'],
  [
    'a retry whose price is above the limit',
    [model, id(errorResponse(429, 'X'), 'post'), missing],
    runs({ maxCredits: 99 }),
  ],
  ['a deadline', [sent, running], runs({ deadlineMs: 3_000 }), 'poll'],
  [
    'a file that is too large',
    [file],
    (client) => client.files.download(url, { maxBytes: 2 }).then((one) => one.bytes()),
    'file',
  ],
  [
    'a file that cannot be written',
    [file],
    (client) => client.files.save({ job_id: 'j', output }, '/dev/null/x'),
    'none',
  ],
])('names each request before it: %s', async (...[, steps, call, last = 'last']) => {
  const { client, clock, service } = createTestClient(steps)
  const error = await clock.run(caught(call(client), ModelRunError))
  expect(error.attempts).toHaveLength(service.received.length)
  expect(error.requestId ?? 'none').toBe(last)
})
