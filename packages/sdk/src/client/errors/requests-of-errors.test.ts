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
const deleted = id(text(204, ''), 'delete')
const busy = id(errorResponse(429, 'X'), 'busy')
const file = id(text(200, 'png'), 'file')
const runs = (options: RunOptions) => (client: ModelRun) => client.run('m', {}, options)
const wait = (client: ModelRun) => client.jobs.attach('job_1').result()
const cancel = (client: ModelRun) => client.jobs.cancel('job_1')
const download = (client: ModelRun) => client.files.download(url, { maxBytes: 2 }).then((one) => one.bytes())
const abortedLoop = (client: ModelRun) => {
  const controller = new AbortController()
  const onProgress = () => controller.abort()
  return collect(client.runMany('m', [{}], { onProgress, signal: controller.signal }))
}

test.each<[string, Step[], (client: ModelRun) => PromiseLike<unknown>, string?]>([
  ['the first poll', [sent, missing], runs({ mode: 'async' })],
  ['a later poll', [sent, running, running, missing], runs({ mode: 'async' })],
  ['a poll of an attached job', [running, missing], wait],
  ['a loop that its caller ends', [sent, running], abortedLoop, 'post'],
  ['the read after a cancel', [deleted, missing], cancel],
  ['a run that is rejected after its price was read', [model, missing], runs({ maxCredits: 99 })],
  ['a price above the limit', [model], runs({ maxCredits: 1 }), 'model'],
  ['a retry whose price cannot be read', [model, busy, missing], runs({ maxCredits: 99 })],
  ['a deadline', [sent, running], runs({ deadlineMs: 3_000 }), 'poll'],
  ['a file that is too large', [file], download, 'file'],
])('names each request before it: %s', async (...[, steps, call, last = 'last']) => {
  const { client, clock, service } = createTestClient(steps)
  const error = await clock.run(caught(call(client), ModelRunError))
  expect(error.attempts).toHaveLength(service.received.length)
  expect(error.requestId).toBe(last)
})
