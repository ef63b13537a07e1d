import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { collect } from '../../../test/collect.ts'
import { errorResponse, json, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { ModelRun } from '../client.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { BudgetExceededError, InputValidationError } from '../errors/local-errors.ts'
import type { RunOptions } from './run-options.ts'

const model = json(200, fixtures.models.textToImage.body)
const dearer = json(200, { ...fixtures.models.textToImage.body, pricing: { credits_per_run: 5 } })
const completed = json(200, fixtures.runs.completed.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)

const INPUT = { prompt: 'x' }

describe('maxCredits (section 2.1)', () => {
  test.each([3.9, 0])('rejects a run that costs more than %j credits, and sends nothing', async (maxCredits) => {
    const { client, service } = createTestClient([model])
    const error = await caught(client.run('aurora-image', INPUT, { maxCredits }), BudgetExceededError)
    expect(error).toMatchObject({ creditsPerRun: 4, maxCredits, submission: 'not_sent', code: 'budget_exceeded' })
    const message = `A run of aurora-image costs 4 credits, more than maxCredits (${maxCredits}). It is not sent.`
    expect(error.message).toBe(message)
    await caught(client.submit('aurora-image', INPUT, { maxCredits }), BudgetExceededError)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  test('reads the price of each run again: one that has risen since the last run is not paid', async () => {
    const { client, service } = createTestClient([model, completed, dearer])
    const paid = await client.run('aurora-image', INPUT, { maxCredits: 4 })
    expect(paid.credits_per_run).toBe(4)
    await caught(client.run('aurora-image', INPUT, { maxCredits: 4 }), BudgetExceededError)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET'])
  })

  test('reads the price again before a run is sent again, which may be minutes later', async () => {
    const { client, clock, service } = createTestClient([model, errorResponse(429, 'RATE_LIMITED'), dearer])
    const run = client.run('aurora-image', INPUT, { maxCredits: 4 })
    const error = await clock.run(caught(run, BudgetExceededError))
    expect(error).toMatchObject({ creditsPerRun: 5, submission: 'rejected' })
    expect(error.attempts.map(({ status }) => status)).toEqual([200, 429, 200])
    expect(error.message).toContain('It is not sent.')
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET'])
  })

  test.each<[string, (client: ModelRun, options: RunOptions) => PromiseLike<unknown>]>([
    ['run', (client, options) => client.run('aurora-image', INPUT, options)],
    ['run with `onStatus`', (client, options) => client.run('aurora-image', INPUT, { ...options, onStatus: () => {} })],
    ['submit', async (client, options) => (await client.submit('aurora-image', INPUT, options)).result()],
    [
      'runMany',
      async (client, options) => Object((await collect(client.runMany('aurora-image', [INPUT], options)))[0]).value,
    ],
  ])('is the cost of a run by %s that has to be polled, whose response has no credits', async (_, run) => {
    const { client, clock } = createTestClient([model, json(202, fixtures.runs.queued.body), succeeded])
    expect(await clock.run(run(client, { maxCredits: 4 }))).toMatchObject({ credits_per_run: 4 })
  })

  test('`models.run` reads it too', async () => {
    const { client, service } = createTestClient([dearer, dearer, completed])
    await caught(client.models.run('aurora-image', { input: INPUT }, { maxCredits: 4 }), BudgetExceededError)
    await client.models.run('aurora-image', { input: INPUT }, { maxCredits: 5 })
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST'])
  })

  test('sends no run when the price cannot be read', async () => {
    const { client, clock, service } = createTestClient([text(500, '')])
    const error = await clock.run(client.run('aurora-image', INPUT, { maxCredits: 4 }).catch((reason) => reason))
    expect(error).toMatchObject({ name: 'ServerError', submission: 'not_sent' })
    // Nor is there a guess at another model: this one may exist.
    expect(new Set(service.received.map(({ path }) => path))).toEqual(new Set(['/v1/models/aurora-image']))
  })
})

// No clock runs below: the checks are loaded on first use, which takes real time.
describe('validateInput (section 2.3)', () => {
  test('rejects an input that breaks the schema, with all issues, and sends nothing', async () => {
    const { client, service } = createTestClient([model, completed])
    const input = { promt: 'x', num_images: 9, image_size: 'huge' }
    const error = await caught(client.run('aurora-image', input, { validateInput: true }), InputValidationError)
    const pointers = error.issues.map(({ pointer }) => pointer)
    expect(pointers.sort()).toEqual(['/image_size', '/num_images', '/prompt', '/promt'])
    expect(error.message).toMatch(
      /^The input does not fit aurora-image\. .*\/promt: no such parameter; did you mean prompt\?/,
    )
    expect(service.received).toHaveLength(1)
  })

  test('ends its list of issues with one mark', async () => {
    const { client } = createTestClient([model])
    const run = client.run('aurora-image', { prompt: 'x', num_image: 2 }, { validateInput: true })
    await expect(run).rejects.toThrow(/ did you mean num_images\? It is not sent\.$/)
  })
})

test('a model that does not exist is a NotFoundError, and no run is sent', async () => {
  const { client, service } = createTestClient([errorResponse(404, 'NOT_FOUND')])
  const error = await caught(client.run('aurora-imgae', INPUT, { validateInput: true }), NotFoundError)
  expect(error.submission).toBe('not_sent')
  expect(service.received.map(({ path }) => path)).toEqual(['/v1/models/aurora-imgae'])
})
