import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  DeadlineExceededError,
  InsufficientCreditsError,
  InvalidRequestError,
  JobCancelledError,
  JobFailedError,
  NotFoundError,
  PermissionDeniedError,
} from 'modelrun'
import { createInbox, type WebhookEvent } from 'modelrun/webhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VARIANTS } from './assumption-variants.ts'
import { type Connection, TRANSPORTS } from './transports.ts'
import { startReceiver } from './webhook-receiver.ts'

const FAST = 'aurora-image'
const SLOW = 'lumen/aurora-video'

describe.each([...TRANSPORTS, ...VARIANTS])('the client over $name', ({ open }) => {
  const isOther = VARIANTS.some((variant) => variant.open === open) // with other statuses of errors
  let connection: Connection

  beforeEach(async () => {
    connection = await open()
  })

  afterEach(async () => {
    await connection.close()
  })

  describe('models', () => {
    it('lists one page with the total, limit and offset (section 4.1)', async () => {
      const page = await connection.client.models.list({ limit: 5 })
      expect(page.models).toHaveLength(5)
      expect(page).toMatchObject({ limit: 5, offset: 0 })
      expect(page.total).toBeGreaterThanOrEqual(12)
      expect(page.hasNextPage()).toBe(true)
    })

    it('iterates every model once over all pages (section 4.1)', async () => {
      const ids: string[] = []
      for await (const model of connection.client.models.list({ limit: 5 })) ids.push(model.id)
      const { total } = await connection.client.models.list()
      expect(ids).toHaveLength(total)
      expect(new Set(ids).size).toBe(total)
    })

    it('filters by category and searches name and description (section 4.1)', async () => {
      const speech = await connection.client.models.list({ category: 'text-to-speech' })
      expect(new Set(speech.models.map((model) => model.category))).toEqual(new Set(['text-to-speech']))
      const found = await connection.client.models.list({ search: 'AURORA' })
      expect(found.models.map((model) => model.id)).toContain(FAST)
    })

    it('reads a model whose id has a slash, with its input_schema (sections 2.3 and 4.2)', async () => {
      const model = await connection.client.models.get(SLOW)
      expect(model.id).toBe(SLOW)
      expect(model.input_schema.required).toContain('prompt')
    })
  })

  describe('runs', () => {
    it('gives the result of a fast model from the 200 response (section 4.3)', async () => {
      const result = await connection.client.run(FAST, { prompt: 'a red fox', num_images: 2 })
      expect(result).toMatchObject({ status: 'succeeded', model_id: FAST })
      expect(result.output).toMatchObject({ type: 'image' })
      expect(result.output.items).toHaveLength(2)
      const { pricing } = await connection.client.models.get(FAST)
      expect(result.credits_used).toBe(pricing.credits_per_run)
    })

    it('waits past the 202 of a slow model by polling (sections 3 and 4.3)', async () => {
      const statuses: string[] = []
      const before = connection.server.clock.now()
      const onStatus = ({ status }: { status: string }) => statuses.push(status)
      const result = await connection.client.run(SLOW, { prompt: 'waves' }, { mode: 'sync', onStatus })
      expect(result.output.type).toBe('video')
      expect(statuses).toEqual(['processing', 'succeeded'])
      expect(connection.server.clock.now() - before).toBeGreaterThan(55_000)
    })

    it('responds with 202 processing after the hold of about 55 s (section 8)', async () => {
      const before = connection.server.clock.now()
      const { data, response } = await connection.client.models.run(SLOW, { input: { prompt: 'x' } }).withResponse()
      expect(response.status).toBe(202)
      expect(data).toMatchObject({ status: 'processing', message: expect.stringContaining('/v1/jobs/') })
      expect(connection.server.clock.now() - before).toBe(55_000)
    })

    it('submits without waiting and gives a live job (section 4.3, sync false)', async () => {
      const before = connection.server.clock.now()
      const job = await connection.client.submit(SLOW, { prompt: 'waves' })
      expect(connection.server.clock.now() - before).toBeLessThan(1_000)
      const states: string[] = []
      for await (const { status } of job.updates()) states.push(status)
      expect(states.at(-1)).toBe('succeeded')
      const again = connection.connect().jobs.attach(JSON.stringify(job))
      await expect(again.result()).resolves.toMatchObject({ job_id: job.id, model_id: SLOW, status: 'succeeded' })
    })

    it('throws JobFailedError with PROVIDER_FAILURE when the provider fails during the hold (section 7)', async () => {
      connection.server.script(FAST, [{ result: 'failed' }])
      const error = await connection.client.run(FAST, { prompt: 'x' }).catch((reason: unknown) => reason)
      expect(error instanceof JobFailedError && error.failureCode).toBe('PROVIDER_FAILURE')
    })

    it('throws JobFailedError when the provider fails after the 202 (section 7)', async () => {
      connection.server.script(SLOW, [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'no frames' } }])
      const error = await connection.client.run(SLOW, { prompt: 'x' }).catch((reason: unknown) => reason)
      expect(error instanceof JobFailedError && error.message).toContain('no frames')
    })

    it('throws DeadlineExceededError with the live job, which continues', async () => {
      const error = await connection.client
        .run(SLOW, { prompt: 'x' }, { deadlineMs: 58_000 })
        .catch((reason: unknown) => reason)
      if (!(error instanceof DeadlineExceededError)) throw error
      await expect(error.job?.result()).resolves.toMatchObject({ status: 'succeeded' })
    })
  })

  describe('charges', () => {
    it('charges a run that succeeds once (section 1)', async () => {
      const before = connection.server.credits()
      const result = await connection.client.run(FAST, { prompt: 'x' })
      expect(before - connection.server.credits()).toBe(result.credits_used)
    })

    it('charges nothing for a cancelled job (sections 1 and 4.5)', async () => {
      const before = connection.server.credits()
      const job = await connection.client.submit(SLOW, { prompt: 'x' })
      await expect(job.cancel()).resolves.toMatchObject({ job_id: job.id, status: 'cancelled' })
      await expect(job.result()).rejects.toBeInstanceOf(JobCancelledError)
      expect(connection.server.credits()).toBe(before)
    })

    it('rejects a run that the account cannot pay', async () => {
      const client = connection.connect({ apiKey: connection.server.createKey({ credits: 0 }).key })
      const error = isOther ? ApiError : InsufficientCreditsError
      await expect(client.run(FAST, { prompt: 'x' })).rejects.toBeInstanceOf(error)
    })

    it('does not undo a finished job by cancelling it, which may be rejected', async () => {
      const { job_id } = await connection.client.run(FAST, { prompt: 'x' })
      const before = connection.server.credits()
      const response = await connection.client.jobs.cancel(job_id).catch((reason: unknown) => reason)
      if (!(response instanceof ConflictError)) expect(response).toMatchObject({ job_id })
      await expect(connection.client.jobs.get(job_id)).resolves.toMatchObject({ status: 'succeeded' })
      expect(connection.server.credits()).toBe(before)
    })
  })

  describe('webhooks', () => {
    it('delivers the result by POST, and the inbox handles a duplicate once (section 6)', async () => {
      const events: WebhookEvent[] = []
      const inbox = createInbox({ client: connection.client, onSucceeded: (event) => events.push(event) })
      const receiver = await startReceiver(inbox.node())
      connection.server.script(FAST, [{ result: 'succeeded', webhook: { deliveries: 2 } }])
      const job = await connection.client.submit(FAST, { prompt: 'x' }, { webhookUrl: receiver.url })
      const deliveries = [await connection.server.webhooks.next(), await connection.server.webhooks.next()]
      await inbox.waitFor(job.id)
      await receiver.close()
      expect(deliveries.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered'])
      expect(events).toMatchObject([{ job_id: job.id, status: 'succeeded', credits_used: expect.any(Number) }])
    })

    it('delivers a failure with code and message (section 6)', async () => {
      const inbox = createInbox({ client: connection.client })
      const receiver = await startReceiver(inbox.node())
      connection.server.script(FAST, [{ result: 'failed' }])
      const job = await connection.client.submit(FAST, { prompt: 'x' }, { webhookUrl: receiver.url })
      const event = await inbox.waitFor(job.id)
      await receiver.close()
      expect(event).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_FAILURE' } })
    })

    it('falls back to polling when the delivery is lost (section 6, rule 4)', async () => {
      const receiver = await startReceiver((_request, response) => response.writeHead(500).end())
      const job = await connection.client.submit(FAST, { prompt: 'x' }, { webhookUrl: receiver.url })
      await expect(job.result()).resolves.toMatchObject({ status: 'succeeded' })
      await receiver.close()
    })
  })

  describe('rejections', () => {
    it('responds with 401 UNAUTHORIZED to an unknown key (sections 5 and 7)', async () => {
      const error = await connection
        .connect({ apiKey: 'sk_test_unknown' })
        .models.list()
        .catch((reason: unknown) => reason)
      expect(error instanceof AuthenticationError && error.apiCode).toBe('UNAUTHORIZED')
    })

    it('responds with 403 FORBIDDEN to a key that lacks the permission, and names it (sections 5 and 7)', async () => {
      const { key } = connection.server.createKey({ permissions: ['models:read'] })
      const error = await connection
        .connect({ apiKey: key })
        .run(FAST, { prompt: 'x' })
        .catch((reason: unknown) => reason)
      if (!(error instanceof PermissionDeniedError)) throw error
      expect(error).toMatchObject({ apiCode: 'FORBIDDEN', submission: 'rejected' })
      expect(error.message).toContain('models:run')
    })

    it('rejects an input that breaks the schema, with the parameter and nothing charged (section 2.3)', async () => {
      const before = connection.server.credits()
      const error = await connection.client.run(FAST, { prompt: 'x', num_images: 9 }).catch((reason: unknown) => reason)
      expect(error instanceof InvalidRequestError && error.message).toContain('num_images')
      expect(connection.server.credits()).toBe(before)
    })

    it('rejects an unknown model and an unknown job', async () => {
      const error = isOther ? ApiError : NotFoundError
      await expect(connection.client.models.get('no-such-model')).rejects.toBeInstanceOf(error)
      await expect(connection.client.run('no-such-model', {})).rejects.toBeInstanceOf(error)
      await expect(connection.client.jobs.get('job_none')).rejects.toBeInstanceOf(error)
    })
  })

  describe('files', () => {
    it('saves the produced files, which are real (section 2.5)', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'modelrun-'))
      const result = await connection.client.run(FAST, { prompt: 'a red fox' })
      const [path] = await connection.client.files.save(result, folder)
      const bytes = await readFile(path ?? '')
      expect(path).toMatch(/\.png$/)
      expect(bytes.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
      await rm(folder, { recursive: true })
    })
  })
})
