import { fixtures } from '@modelrun/contract/fixtures'
import { ConfigurationError } from '@modelrun/kit'
import { describe, expect, test } from 'vitest'
import { caught } from '../../test/caught.ts'
import { json } from '../../test/scripted-service.ts'
import { createTestClient } from '../../test/test-client.ts'

/** A client as a program without types sees it. */
interface Untyped {
  run(...args: unknown[]): Promise<unknown>
  submit(...args: unknown[]): Promise<unknown>
  request(...args: unknown[]): Promise<unknown>
  runMany(...args: unknown[]): AsyncGenerator
  jobs: Record<'get' | 'attach' | 'settle', (...args: unknown[]) => Promise<unknown>>
  models: Record<'get' | 'run' | 'list', (...args: unknown[]) => Promise<unknown>>
  files: Record<'download' | 'save', (...args: unknown[]) => Promise<unknown>>
}

const MODEL = 'aurora-image'
const INPUT = { prompt: 'a red fox' }

function open() {
  const { client, service } = createTestClient([json(200, fixtures.runs.completed.body)])
  return { client: client as unknown as Untyped, service }
}

describe('an option of a run that is paid', () => {
  test.each([
    ['webhook_url', 'https://app.example.com/hook', 'did you mean `webhookUrl`?'],
    ['sync', false, "did you mean `mode: 'async'`?"],
    ['timeout', 5, 'did you mean `timeoutMs`?'],
    ['maxCredit', 1, 'did you mean `maxCredits`?'],
    ['abortSignal', AbortSignal.abort(), 'did you mean `signal`?'],
    ['onProgress', () => {}, 'did you mean `onStatus`?'],
  ])('is not %s', async (name, value, hint) => {
    const { client, service } = open()
    const error = await caught(client.run(MODEL, INPUT, { [name]: value }), ConfigurationError)
    expect(error.message).toBe(`\`${name}\` of \`client.run\` is unknown (${hint}). Nothing was sent.`)
    expect(error.submission).toBe('not_sent')
    expect(service.received).toEqual([])
  })

  test.each([
    ['webhook', 'https://app.example.com/hook', 'must be an inbox (a URL goes into `webhookUrl`)'],
    ['maxCredits', '5', 'must be a number of at least 0, not "5".'],
  ])('cannot have this value: %s', async (name, value, problem) => {
    const { client, service } = open()
    const error = await caught(client.run(MODEL, INPUT, { [name]: value }), ConfigurationError)
    expect(error.message).toContain(`\`${name}\` of \`client.run\` ${problem}`)
    expect(error.message).toMatch(/ Nothing was sent\.$/)
    expect(service.received).toEqual([])
  })

  test('is the same for submit and runMany, which have fewer and more', async () => {
    const { client } = open()
    await expect(client.submit(MODEL, INPUT, { onStatus: () => {} })).rejects.toThrow(
      '`onStatus` of `client.submit` is unknown (it takes signal, timeoutMs,',
    )
    expect(() => client.runMany(MODEL, [INPUT], { onprogress: () => {} })).toThrow('did you mean `onProgress`?')
    const many = (options: object) => () => client.runMany(MODEL, [INPUT], options)
    expect(many({ concurrency: 'high' })).toThrow('must be a number above 0, not "high".')
    expect(many({ resume: { 0: 'job_1' } })).toThrow('`resume` of `client.runMany` must be')
  })
})

describe('an argument', () => {
  const job = createTestClient([]).client.jobs.attach('job_1')

  test.each<[string, (client: Untyped) => unknown, string]>([
    ['run(id)', (client) => client.run(MODEL), 'The input of a run must be an object of parameters'],
    ['run(id, date)', (client) => client.run(MODEL, new Date()), ', not a Date.'],
    ['runMany(id, text)', (client) => client.runMany(MODEL, 'a red fox'), ', not "a red fox".'],
    [
      'models.run, camelCase',
      (client) => client.models.run(MODEL, { input: INPUT, webhookUrl: 'x' }),
      '`webhook_url`?',
    ],
    ['models.list, a query', (client) => client.models.list({ categorie: 'x' }), 'did you mean `category`?'],
    ['request, a body', (client) => client.request('GET', '/v1/models', { body: {} }), 'has no `body`: pass `query`'],
    ['request, a query', (client) => client.request('GET', '/v1/models', { query: { a: {} } }), 'an object of texts'],
    ['request, a number', (client) => client.request('GET', '/v1/models', { query: { a: NaN } }), 'an object of texts'],
    ['files.download()', (client) => client.files.download(), 'A file is given by an item of an output'],
    [
      'files.save(result)',
      (client) => client.files.save({ job_id: 'job_1', output: { items: [] } }),
      'needs the path of a folder',
    ],
    ['files.save(job)', (client) => client.files.save(job, 'out'), '`files.save` takes what a job produced'],
  ])('says what is wrong with it: %s', async (_, call, message) => {
    const { client, service } = open()
    const error = await caught((async () => await call(client))(), ConfigurationError)
    expect(error.message).toContain(message)
    expect(service.received).toEqual([])
  })

  test('of a method that gives a promise makes that reject, and of one that gives a list throws at once', async () => {
    const { client } = open()
    const promises = [client.run(), client.models.get(1), client.jobs.get(1), client.files.save()]
    const outcomes = await Promise.allSettled(promises)
    expect(outcomes.map(({ status }) => status)).toEqual(promises.map(() => 'rejected'))
    expect(() => client.runMany(MODEL, 'x')).toThrow(ConfigurationError)
    expect(() => client.jobs.attach(1)).toThrow(ConfigurationError)
    expect(() => client.jobs.settle('x')).toThrow(ConfigurationError)
  })
})
