import { getEventListeners } from 'node:events'
import { fixtures } from '@modelrun/contract/fixtures'
import ky from 'ky'
import { expect, test } from 'vitest'
import { collect } from '../../../test/collect.ts'
import { receiverOf } from '../../../test/receiver.ts'
import { createTestClient } from '../../../test/test-client.ts'
import type { ModelRun } from '../client.ts'
import type { SubmitOptions } from './run-options.ts'

type Wait = (name: string) => Promise<void>
type Call = (client: ModelRun, options: SubmitOptions, wait: Wait) => PromiseLike<unknown>

const MODEL = 'aurora-image'
const INPUT = { prompt: 'x' }

async function* oneInput(wait: Wait) {
  await wait('input')
  yield INPUT
}

/** No wait: the caller has aborted before. */
const BEFORE = -2

/** Makes a call with all that can be awaited before its POST, and aborts it in one of these waits. Returns them. */
async function waitsOf(call: Call, abortAt: number) {
  const waits: string[] = []
  const controller = new AbortController()
  const wait: Wait = async (name) => {
    waits.push(name)
    if (waits.length - 1 === abortAt) controller.abort()
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 1))
  }
  const respond = async ({ method }: Request) => {
    const isFirst = !waits.includes('POST')
    await wait(method)
    if (method === 'GET') return Response.json(fixtures.models.textToImage.body)
    return isFirst ? new Response('', { status: 429 }) : Response.json(fixtures.runs.completed.body)
  }
  if (abortAt === BEFORE) controller.abort()
  const ignore = () => {}
  const { client, clock } = createTestClient([respond], {
    apiKey: () => wait('key').then(() => 'sk_test_1'),
    ky: ky.create({ hooks: { beforeRequest: [() => wait('hook')] } }),
    logger: { debug: ignore, info: () => void wait('retry'), warn: ignore, error: ignore },
    logLevel: 'info',
  })
  const prepare = () => wait('receiver').then(() => ({ url: 'https://hooks.example.com/', ref: 'ref_1' }))
  const options = { ...receiverOf({ prepare }), signal: controller.signal, maxCredits: 4, validateInput: true }
  const end = await clock.run(Promise.resolve(call(client, options, wait)).catch((error: unknown) => error))
  await clock.advance(3_600_000)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  return { waits, end }
}

// The price is read last.
const ATTEMPT = ['hook', 'key', 'hook', 'key', 'GET', 'POST']
const ATTEMPTS = [...ATTEMPT, 'retry', ...ATTEMPT]

const limited = ({ signal, maxCredits }: SubmitOptions) => ({ signal, maxCredits })
const run: Call = (client, options) => client.run(MODEL, INPUT, options)
const submit: Call = (client, options) => client.submit(MODEL, INPUT, options)
const kept: Call = (client, options) => client.submit(MODEL, INPUT, { ...options, keepSent: true })
const modelsRun: Call = (client, options) => client.models.run(MODEL, { input: INPUT }, limited(options))
const runMany: Call = (client, options, wait) => collect(client.runMany(MODEL, oneInput(wait), options))

test.each<[string, string[], Call]>([
  ['run', ['receiver', ...ATTEMPTS], run],
  ['submit', ['receiver', ...ATTEMPTS], submit],
  ['submit with a POST that continues', ['receiver', ...ATTEMPTS], kept],
  ['models.run', ATTEMPTS, modelsRun],
  ['runMany', ['input', 'receiver', ...ATTEMPTS], runMany],
])('%s starts no POST after an abort, in whichever wait', async (name, waits, call) => {
  expect((await waitsOf(call, -1)).waits).toEqual(waits)
  expect(await waitsOf(call, BEFORE)).toMatchObject({
    waits: [],
    end: { name: 'AbortedError', submission: 'not_sent' },
  })
  for (const [abortAt] of waits.entries()) {
    const { waits: seen, end } = await waitsOf(call, abortAt)
    expect(seen.slice(abortAt + 1), `${abortAt} ${waits[abortAt]}`).not.toContain('POST')
    const isSent = waits[abortAt] === 'POST'
    const before = waits.slice(0, abortAt).includes('POST') ? 'rejected' : 'not_sent'
    // A loop has one error for all of its runs.
    if (name === 'runMany' || (isSent && call === kept)) continue
    expect(end).toMatchObject({ name: 'AbortedError', submission: isSent ? 'unknown' : before })
  }
})
