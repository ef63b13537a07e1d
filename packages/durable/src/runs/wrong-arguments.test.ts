import { ConfigurationError, InputValidationError, ModelRun } from 'modelrun'
import { expect, test } from 'vitest'
import { outcomeOf, problemOfError, type RightCall, wrongCalls } from '../../../sdk/test/wrong-values.ts'
import { createSqliteEngine } from '../sqlite/sqlite-engine.ts'
import { createRuns } from './create-runs.ts'
import type { Runs } from './runs-options.ts'

const input = { prompt: 'a red fox' }
const AGREED = { maxCredits: 1 }
const PAGE = { limit: 1, after: '' }

const METHODS: Partial<Record<keyof Runs, RightCall>> = {
  add: { right: ['key', 'aurora-image', input, {}], members: { 3: AGREED } },
  send: {
    right: ['key', 'aurora-image', input, {}],
    members: { 3: { ...AGREED, webhookUrl: '', waitMs: 1, signal: 1 } },
  },
  read: { right: ['key', {}], members: { 1: { isHinted: true, jobId: '' } } },
  sweep: { right: [{}], members: { 0: { forMs: 1, signal: 1 } } },
  get: { right: ['key'] },
  results: { right: [{}], members: { 0: { after: '', signal: 1 } } },
  list: { right: [{}], members: { 0: { ...PAGE, state: '' } } },
  unknown: { right: [{}], members: { 0: PAGE } },
  resolve: { right: ['key', {}], members: { 1: { jobId: '' } } },
  resubmit: { right: ['key', {}], members: { 1: { lostJob: '' } } },
  retry: { right: ['key', {}], members: { 1: AGREED } },
  delete: { right: [{ olderThanMs: 1 }], members: { 0: { all: true, state: '', olderThanMs: 1 } } },
  cancel: { right: ['key'] },
  runEach: { right: ['aurora-image', [], {}], members: { 2: { concurrency: 1, signal: 1 } } },
}

async function openRuns() {
  const engine = createSqliteEngine({ path: ':memory:' })
  await engine.setup()
  const error = { code: 'NOT_FOUND', message: 'There is no such model.' }
  const fetch = async () => Response.json({ error }, { status: 404 })
  const client = new ModelRun({ apiKey: 'sk_test_1', baseUrl: 'http://localhost:1', fetch, logLevel: 'off' })
  return createRuns({ engine, client, onError: () => {}, onPause: () => {} })
}

test.each(Object.entries(METHODS))('runs.%s rejects what is wrong with an error of ours', async (name, method) => {
  const runs = await openRuns()
  const problems: string[] = []
  let wrongCount = 0
  for (const [what, args] of wrongCalls(method)) {
    const outcome = await outcomeOf(() => Reflect.apply(runs[name as 'add'], runs, args))
    if (!('error' in outcome)) continue
    const problem = problemOfError(outcome.error)
    if (problem !== undefined) problems.push(`${what}: ${problem}`)
    const isOurs = outcome.error instanceof ConfigurationError || outcome.error instanceof InputValidationError
    if (isOurs) wrongCount++
  }
  expect(problems).toEqual([])
  expect(wrongCount).toBeGreaterThan(10)
})

test.each([{ maxCredits: '5' }, { maxCredits: Number.NaN }, { maxCredits: null }, { maxCredit: 5 }, null, 5])(
  'a run is not added at any price for the limit %j',
  async (agreed) => {
    const runs = await openRuns()
    const outcomes = [
      await outcomeOf(() => runs.add('key', 'aurora-image', input, agreed as never)),
      await outcomeOf(() => runs.send('key', 'aurora-image', input, agreed as never)),
      await outcomeOf(() => runs.retry('key', agreed as never)),
    ]
    for (const outcome of outcomes) expect(outcome).toEqual({ error: expect.any(ConfigurationError) })
    expect(await runs.get('key')).toBeUndefined()
  },
)

test.each(['cancelAll', 'pause'] as const)('runs.%s does nothing for what names a run', async (name) => {
  const runs = await openRuns()
  const problem = 'takes no argument: it is for the whole batch. Nothing was done.'
  await expect(Reflect.apply(runs[name], runs, ['key'])).rejects.toThrow(problem)
  expect(await runs.progress()).toMatchObject({ isPaused: false })
})

test.each([{ publicURL: 'https://a.example' }, { secret: 'x' }])(
  'runs are not opened with webhooks %j',
  async (webhooks) => {
    const options = {
      engine: createSqliteEngine({ path: ':memory:' }),
      client: new ModelRun({ apiKey: 'sk_test_1', baseUrl: 'http://localhost:1' }),
    }
    expect(() => createRuns({ ...options, webhooks: webhooks as never })).toThrow(ConfigurationError)
  },
)

test('no limit is a limit too', async () => {
  const runs = await openRuns()
  await runs.add('key', 'aurora-image', input, { maxCredits: Number.POSITIVE_INFINITY })
  expect(await runs.get('key')).not.toHaveProperty('maxCredits')
})

test('the price of an item of a loop is checked too', async () => {
  const runs = await openRuns()
  const loop = runs.runEach('aurora-image', [{ key: 'key', input, maxCredits: Number.NaN }])
  await expect(loop.next()).rejects.toThrow('`maxCredits` of `runs.add` must be a number of at least 0, not NaN.')
})
