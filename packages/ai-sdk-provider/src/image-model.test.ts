import type { ReferenceServer } from '@modelrun/reference-server'
import { generateImage } from 'ai'
import { describe, expect, it } from 'vitest'
import { KINDS, setup, untilCharged } from '../test/harness.ts'
import { takeFiles } from './runs.ts'

const SWIFT = 'lumen/aurora-image-swift' // it makes one image for a run
const PRICE = 1
const WITHOUT_FILE = { result: 'succeeded' as const, output: { type: 'image', items: [] } }

describe('generateImage', () => {
  it('makes as many runs as the model needs for `n` images', async () => {
    const one = setup()
    // One of several runs is repeated by the client.
    one.server.faults.add({ kind: 'rate-limit', route: 'runModel', retry_after: 0, times: 1 })
    const { images } = await generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox', n: 6 })
    expect([images.length, one.posts(), one.charged()]).toEqual([6, 1 + 2, 8])
  })

  const invalid = { error: { code: 'INVALID', message: 'no' } }
  it.each<[string, (server: ReferenceServer) => void]>([
    ['failed', (server) => server.script(SWIFT, [{ result: 'failed' }])],
    ['has no file', (server) => server.script(SWIFT, [WITHOUT_FILE])],
    [
      'was rejected',
      ({ faults }) => faults.add({ kind: 'response', status: 422, body: invalid, route: 'runModel', times: 1 }),
    ],
    ['lost its file', ({ faults }) => faults.add({ kind: 'response', status: 404, route: 'getFile', times: 1 })],
  ])('gives the images that were paid when one run of four %s', async (_title, apply) => {
    const one = setup()
    apply(one.server)
    const { images, warnings } = await generateImage({ model: one.modelrun.image(SWIFT), prompt: 'a fox', n: 4 })
    expect([images.length, one.posts()]).toEqual([3, 4])
    expect(warnings).toMatchObject([{ type: 'other', message: expect.stringContaining('1 of 4 files are missing') }])
  })

  it('counts the images that are missing, and names the jobs that continue or failed', async () => {
    const one = setup({ deadlineMs: 60_000 })
    const lastRun = { input: { num_images: 1 } }
    one.server.script('aurora-image', [
      { result: 'succeeded', when: lastRun },
      { result: 'hang' },
      { result: 'failed', error: { code: 'NSFW', message: 'no \u001b[8m\u202e' } },
    ])
    const call = { model: one.modelrun.image('aurora-image'), prompt: 'a fox', n: 9 }
    const { images, warnings, providerMetadata } = await generateImage(call)
    expect(images).toHaveLength(1)
    const warning = { type: 'other', message: expect.stringContaining('8 of 9 files are missing') }
    expect(warnings).toEqual([warning, warning])
    expect(JSON.stringify(warnings)).not.toMatch(/\\u001b|\u202e/)
    const job = { jobId: expect.stringMatching(/^job_/) }
    expect(providerMetadata).toEqual({ modelrun: { images: [expect.objectContaining(job), job, job] } })
  })

  // The client repeats nothing that has to wait for longer than a minute.
  const headers = { 'retry-after': '61' }
  const body = { error: { code: 'X', message: 'x' } }
  const failure = (status: number) => ({ kind: 'response', status, body, headers }) as const
  const LOST = { kind: 'reset', when: 'after' } as const
  it.each([
    ['unknown', failure(429), LOST],
    ['unknown', failure(400), LOST],
    ['rejected', failure(429), failure(400)],
  ])('repeats no call of which a run is %s, whatever the other is', async (submission, first, second) => {
    const one = setup()
    for (const fault of [first, second]) one.server.faults.add({ ...fault, route: 'runModel', times: 1 })
    const call = generateImage({ model: one.modelrun.image(SWIFT), prompt: 'a fox', n: 2, maxRetries: 0 })
    await expect(call).rejects.toMatchObject({ isRetryable: false, data: { submission } })
    await untilCharged(one)
    expect(one.charged()).toBe(submission === 'unknown' ? PRICE : 0)
  })

  it.each([
    ['no_output', []],
    ['invalid_response', [{ type: 'image', url: 'data:image/png;base64,' }]],
    ['invalid_response', [{ type: 'file', url: 'data:text/html,<p>expired' }]],
    ['invalid_response', [{ type: 'file', url: 'data:image/png,<?xml version="1.0"?><Error><Code>AccessDenied' }]],
  ])('does not repeat a run without a file, and names its job: %s for %j', async (code, items) => {
    const one = setup()
    const output = { type: 'image', items: items as never }
    one.server.script('aurora-image', [{ result: 'succeeded', output }])
    const call = generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox' })
    await expect(call).rejects.toMatchObject({
      isRetryable: false,
      data: { code, jobId: expect.stringMatching(/^job_/) },
    })
    expect(one.posts()).toBe(1)
  })

  it.each<[unknown[], number?]>([[[null]], [['a fox']], [[{ text: 'a' }]], [[{ url: '/a.png' }]], [[], 2]])(
    'gives the file, and warns of the other that is missing: %j',
    async (others, wanted) => {
      const output = { type: 'image', items: [{ type: 'image', url: 'data:,a' }, ...(others as never[])] }
      const run = Promise.resolve({ jobId: 'job_1', output, facts: {} })
      const { values, warnings } = await takeFiles([run], async (_, { url }) => url, wanted)
      expect(values).toEqual(['data:,a'])
      expect(warnings).toMatchObject([{ message: expect.stringContaining('1 of 2 files are missing') }])
    },
  )

  it('gives url, job and price of each image', async () => {
    const one = setup()
    const providerOptions = { modelrun: { maxCredits: PRICE } }
    const call = { model: one.modelrun.image(SWIFT), prompt: 'x', providerOptions }
    const { images, providerMetadata } = await generateImage(call)
    const facts = { url: expect.stringMatching(/\.png$/), jobId: expect.stringMatching(/^job_/), creditsPerRun: PRICE }
    expect(providerMetadata).toMatchObject({ modelrun: { images: [facts] } })
    expect(images[0]?.mediaType).toBe('image/png')
  })

  it.each(['cancel', 'detach'] as const)(
    'ends the job of a call that is aborted as onAbort says: %s',
    async (onAbort) => {
      const one = setup({ onAbort }, { clock: 'system' })
      const controller = new AbortController()
      const { signal } = controller
      const call = generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox', abortSignal: signal })
      const outcome = call.catch((error: unknown) => error)
      await expect.poll(() => one.server.journal.text()).toContain('GET /v1/jobs/')
      controller.abort()
      expect(await outcome).toMatchObject({ name: 'AbortError', jobId: expect.stringMatching(/^job_/) })
      if (onAbort === 'cancel') await expect.poll(() => one.server.journal.text()).toMatch(/DELETE .*200/)
      else expect(one.server.journal.text()).not.toContain('DELETE')
      expect([one.posts(), one.charged()]).toEqual([1, 0])
    },
  )

  it('names each job in the error of a call of several runs, whatever ends it', async () => {
    const [one, other] = [setup({ deadlineMs: 300 }), setup({}, { clock: 'system' })]
    for (const { server } of [one, other]) {
      server.script(SWIFT, [{ result: 'succeeded', after_ms: 0 }, { result: 'hang' }, { result: 'hang' }])
    }
    const controller = new AbortController()
    const draw = ({ modelrun }: typeof one) =>
      generateImage({ model: modelrun.image(SWIFT), prompt: 'a fox', n: 3, abortSignal: controller.signal })
    const jobIds = [1, 2, 3].map(() => expect.stringMatching(/^job_/))
    await expect(draw(one)).rejects.toMatchObject({ isRetryable: false, data: { jobIds } })
    const aborted = draw(other).catch((error: unknown) => error)
    await expect.poll(() => other.charged()).toBe(PRICE)
    controller.abort()
    expect(await aborted).toMatchObject({ name: 'AbortError', jobIds, data: { jobIds } })
    expect(other.charged()).toBe(PRICE)
  })

  it.each([
    ['getModel', { submission: 'not_sent' }],
    ['getFile', { submission: 'accepted', jobId: expect.stringMatching(/^job_/) }],
  ] as const)('ends at its deadline though %s stalls', async (route, data) => {
    const one = setup({ deadlineMs: 20_000 })
    one.server.faults.add({ kind: 'hang', route })
    await expect(KINDS.image.call(one)).rejects.toMatchObject({ data: { code: 'deadline_exceeded', ...data } })
  })

  it.each([
    ['rate-limit', { statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after-ms': '0' } }, 1 + 3],
    ['response', { statusCode: 400, isRetryable: false }, 1 + 1],
  ] as const)('has `maxRetries` of the AI SDK count for what may pass: %s, %j', async (kind, error, posts) => {
    const one = setup()
    const shown =
      kind === 'response' ? { status: 400, body: { error: { code: 'X', message: 'x' } } } : { retry_after: 0 }
    one.server.faults.add({ kind, route: 'runModel', ...shown })
    const call = { model: one.modelrun.image('aurora-image'), prompt: 'a fox' }
    await expect(generateImage({ ...call, maxRetries: 0 })).rejects.toMatchObject(error)
    await expect(generateImage(call)).rejects.toMatchObject({ name: posts === 2 ? 'AI_APICallError' : 'AI_RetryError' })
    expect(one.posts()).toBe(posts)
  })

  it('rejects a run above maxCredits before it is sent', async () => {
    const one = setup()
    const providerOptions = { modelrun: { maxCredits: 3 } }
    const call = generateImage({ model: one.modelrun.image('aurora-image'), prompt: 'a fox', providerOptions })
    await expect(call).rejects.toMatchObject({ name: 'BudgetExceededError' })
    expect(one.posts()).toBe(0)
  })
})
