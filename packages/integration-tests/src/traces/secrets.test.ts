import { inspect } from 'node:util'
import { ModelRunError } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'
import { describe, expect, it } from 'vitest'
import { FAST, useTraceHarness } from './trace-harness.ts'

const PROMPT = 'a portrait of a person who must not be named'
const INPUT = { prompt: PROMPT }

describe('an exported span has nothing of', () => {
  const harness = useTraceHarness()

  /** Everything that any exporter could read of the spans. */
  function exported(): string {
    const spans = harness.raw()
    expect(spans.length).toBeGreaterThan(0)
    return inspect(spans, { depth: 12, maxStringLength: null, showHidden: true })
  }

  function expectNoSecrets(...others: string[]): void {
    const text = exported()
    for (const secret of ['must not be named', harness.server.apiKey, ...others]) expect(text).not.toContain(secret)
  }

  it('the prompt and the key, when all goes well', async () => {
    const client = harness.connect()
    await client.run(FAST, INPUT)
    await (await client.submit(FAST, INPUT)).result()
    for await (const _ of client.runMany(FAST, [INPUT])) break
    expectNoSecrets()
  })

  it('the url for the delivery, whose token lets its holder deliver', async () => {
    const client = harness.connect()
    const inbox = createInbox({
      client,
      clock: harness.server.clock,
      publicUrl: 'https://app.test/hook',
      secret: 's'.repeat(32),
    })
    harness.server.webhooks.deliver((request) => inbox.handle(request))
    await client.run(FAST, INPUT, { webhook: inbox })
    await client.submit(FAST, INPUT, { webhookUrl: 'https://app.test/mine?token=very-secret' })
    await inbox.drain()
    expectNoSecrets('app.test', 'very-secret')
  })

  it('the prompt, when the job fails with a message that quotes it', async () => {
    const error = { code: 'PROVIDER_FAILURE', message: `I do not paint ${PROMPT}` }
    harness.server.script(FAST, [{ result: 'failed', error }])
    await expect(harness.connect().run(FAST, INPUT)).rejects.toThrow(PROMPT)
    expectNoSecrets()
  })

  it.each([
    ['an error', () => Response.json({ error: { code: 'INVALID', message: `No: ${PROMPT}` } }, { status: 422 })],
    ['a code', () => Response.json({ error: { code: PROMPT, message: 'No' } }, { status: 422 })],
    ['a web page', () => new Response(`${PROMPT} was not found`, { status: 200 })],
    ['the status of a run', () => Response.json({ job_id: 'job_1', status: PROMPT })],
    ['the status of a job', () => Response.json({ job_id: 'job_1', status: 'queued', data: { status: PROMPT } })],
    [
      'the error of a network that fails',
      () => {
        throw new TypeError(`could not send ${PROMPT}`)
      },
    ],
    [
      'the code of such an error',
      () => {
        throw Object.assign(new Error('rejected'), { code: PROMPT, syscall: 'connect' })
      },
    ],
  ])('the prompt, when %s quotes it', async (_what, respond) => {
    const client = harness.connect({ fetch: async () => respond() })
    const error = await client.run(FAST, INPUT, { deadlineMs: 30_000 }).catch((thrown: unknown) => thrown)
    expect(error instanceof ModelRunError).toBe(true)
    expectNoSecrets()
  })

  it('the input, when it does not fit the model', async () => {
    const client = harness.connect()
    const input = { prompt: 'fine', image_size: PROMPT }
    await expect(client.run(FAST, input, { validateInput: true })).rejects.toThrow(PROMPT)
    expectNoSecrets()
    expect(exported()).toContain('/image_size')
  })

  it('an error that the caller made', async () => {
    const abort = AbortSignal.abort(new Error(PROMPT))
    await expect(harness.connect().run(FAST, INPUT, { signal: abort })).rejects.toThrow('aborted')
    const badInput = {
      get prompt(): string {
        throw new Error(PROMPT)
      },
    }
    await expect(harness.connect().run(FAST, badInput)).rejects.toMatchObject({ cause: { message: PROMPT } })
    expectNoSecrets()
  })
})
