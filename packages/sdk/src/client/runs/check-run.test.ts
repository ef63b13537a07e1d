import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { errorResponse, json, silent, text } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { BudgetExceededError, InputValidationError } from '../errors/local-errors.ts'
import { AbortedError } from '../errors/transport-errors.ts'

const model = json(200, fixtures.models.textToImage.body)
const completed = json(200, fixtures.runs.completed.body)

const INPUT = { prompt: 'x' }

describe('maxCredits (section 2.1)', () => {
  test('rejects a run that costs more, and sends nothing', async () => {
    const { client, service } = createTestClient([model, completed])
    const error = await caught(client.run('aurora-image', INPUT, { maxCredits: 3 }), BudgetExceededError)
    expect(error).toMatchObject({ creditsPerRun: 4, maxCredits: 3, submission: 'not_sent', code: 'budget_exceeded' })
    expect(error.message).toBe('A run of aurora-image costs 4 credits, more than maxCredits (3). It was not sent.')
    expect(service.received.map(({ method }) => method)).toEqual(['GET'])
  })

  test.each([4, 5])('lets a run through that costs 4 when the limit is %i', async (maxCredits) => {
    const { client, service } = createTestClient([model, completed])
    await client.run('aurora-image', INPUT, { maxCredits })
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  test.each([0, 3.9])('lets nothing through that costs 4 when the limit is %j', async (maxCredits) => {
    const { client } = createTestClient([model])
    await caught(client.submit('aurora-image', INPUT, { maxCredits }), BudgetExceededError)
  })

  test('reads the price of each run again: one that has risen since the last run is not paid', async () => {
    const dearer = { ...fixtures.models.textToImage.body, pricing: { credits_per_run: 5 } }
    const { client, service } = createTestClient([model, completed, json(200, dearer)])
    const paid = await client.run('aurora-image', INPUT, { maxCredits: 4 })
    expect(paid.credits_per_run).toBe(4)
    await caught(client.run('aurora-image', INPUT, { maxCredits: 4 }), BudgetExceededError)
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET'])
  })

  test('reads the price again before a run is sent again, which may be minutes later', async () => {
    const dearer = { ...fixtures.models.textToImage.body, pricing: { credits_per_run: 5 } }
    const { client, clock, service } = createTestClient([model, errorResponse(429, 'RATE_LIMITED'), json(200, dearer)])
    const run = client.run('aurora-image', INPUT, { maxCredits: 4 })
    const error = await clock.run(caught(run, BudgetExceededError))
    expect(error).toMatchObject({ creditsPerRun: 5, submission: 'rejected' })
    expect(error.attempts.map(({ status }) => status)).toEqual([429, 200])
    expect(error.message).toContain('It was not sent again.')
    expect(service.received.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET'])
  })

  test('sends no run when the price cannot be read', async () => {
    const { client, clock, service } = createTestClient([text(500, '')])
    const error = await clock.run(client.run('aurora-image', INPUT, { maxCredits: 4 }).catch((reason) => reason))
    expect(error).toMatchObject({ name: 'ServerError', submission: 'not_sent' })
    // Nor is there a guess at another model: this one may exist.
    expect(new Set(service.received.map(({ path }) => path))).toEqual(new Set(['/v1/models/aurora-image']))
  })

  test('settles at once when the signal aborts while the price is read', async () => {
    const { client } = createTestClient([silent()])
    const controller = new AbortController()
    const failure = caught(
      client.run('aurora-image', INPUT, { maxCredits: 4, signal: controller.signal }),
      AbortedError,
    )
    await settle()
    controller.abort()
    expect((await failure).submission).toBe('not_sent')
  })
})

// No clock runs below: the checks are loaded on first use, which takes real time.
describe('validateInput (section 2.3)', () => {
  test('rejects an input that breaks the schema, with all issues, and sends nothing', async () => {
    const { client, service } = createTestClient([model, completed])
    const input = { promt: 'x', num_images: 9, image_size: 'huge' }
    const error = await caught(client.run('aurora-image', input, { validateInput: true }), InputValidationError)
    expect(error.issues.map(({ pointer }) => pointer).sort()).toEqual([
      '/image_size',
      '/num_images',
      '/prompt',
      '/promt',
    ])
    expect(error.message).toMatch(
      /^The input does not fit aurora-image\. .*\/promt: no such parameter; did you mean prompt\?/,
    )
    expect(service.received).toHaveLength(1)
  })

  test('ends its list of issues with one mark', async () => {
    const { client } = createTestClient([model])
    const run = client.run('aurora-image', { prompt: 'x', num_image: 2 }, { validateInput: true })
    await expect(run).rejects.toThrow(/ did you mean num_images\? It was not sent\.$/)
  })

  test('lets an input through that fits', async () => {
    const { client } = createTestClient([model, completed])
    const result = client.run('aurora-image', { prompt: 'x', num_images: 2 }, { validateInput: true })
    await expect(result).resolves.toMatchObject({ status: 'succeeded' })
  })

  test('reads nothing when it is not asked for', async () => {
    const { client, service } = createTestClient([completed])
    await client.run('aurora-image', { anything: 1 }, { validateInput: false })
    expect(service.received.map(({ method }) => method)).toEqual(['POST'])
  })
})

test('a model that does not exist is a NotFoundError, and no run is sent', async () => {
  const { client, service } = createTestClient([errorResponse(404, 'NOT_FOUND')])
  const error = await caught(client.run('aurora-imgae', INPUT, { validateInput: true }), NotFoundError)
  expect(error.submission).toBe('not_sent')
  expect(service.received.map(({ path }) => path)).toEqual(['/v1/models/aurora-imgae'])
})
