import { describe, expect, it } from 'vitest'
import { apiCaller, openServer } from '../../test/api-caller.ts'
import { createReferenceServer } from '../reference-server.ts'

const run = { path: 'aurora-image' }
const FAILING = { result: 'failed', when: { input: { prompt: 'bad' } } } as const

function inputOf(prompt: string) {
  return { sync: false, input: { prompt, num_images: 2 } }
}

describe('a script that names an input', () => {
  it.each([
    ['as JSON', { prompt: 'bad' }],
    ['by a function', (input: { prompt?: unknown }) => input.prompt === 'bad'],
  ])('is taken by such a run only, %s', async (_, input) => {
    const server = createReferenceServer({ clock: 'manual' })
    server.script('aurora-image', [{ result: 'failed', when: { input } }, { result: 'hang' }])
    const caller = apiCaller(server)
    const ids = []
    for (const prompt of ['good', 'bad', 'bad']) ids.push((await caller.run(run.path, inputOf(prompt))).body.job_id)
    await server.clock.advance(60_000)
    expect(await Promise.all(ids.map(caller.status))).toEqual(['processing', 'failed', 'succeeded'])
    expect(server.report().unusedScripts).toEqual([])
  })

  it.each<[string, unknown, RegExp]>([
    ['a function in place of the outcomes', () => FAILING, /must be an array, not a function/],
    ['an unknown member that is a function', [{ result: 'failed', match: () => true }], /do not exist: "match"/],
    ['an unknown condition', [{ result: 'failed', when: { prompt: 'bad' } }], /do not exist: "prompt"/],
    [
      'a number that JSON has not',
      [{ result: 'succeeded', output: { type: 'image', items: [], seed: Number.NaN } }],
      /The value is not JSON: \/0\/output\/seed is NaN/,
    ],
  ])('is rejected with %s', (_, outcomes, message) => {
    expect(() => createReferenceServer().script('aurora-image', outcomes as never)).toThrow(message)
  })
})

describe('a fault that names an input', () => {
  it.each([
    ['as JSON', { prompt: 'bad' }],
    ['by a function', (input: { prompt?: unknown }) => input.prompt === 'bad'],
  ])('is injected into such runs and their jobs, %s', async (_, input) => {
    const server = createReferenceServer({ clock: 'manual' })
    server.faults.add({ kind: 'unavailable', when: { input, moment: 'after' } })
    const caller = apiCaller(server)
    const statuses = []
    for (const prompt of ['good', 'bad']) statuses.push((await caller.run(run.path, inputOf(prompt))).status)
    const { jobs } = (await caller.get('/_reference/activity')).body as { jobs: { job_id: string }[] }
    for (const { job_id } of jobs) statuses.push((await caller.get(`/v1/jobs/${job_id}`)).status)
    expect(statuses).toEqual([202, 503, 200, 503])
  })

  it('is rejected with names that do not exist, functions too', () => {
    const { faults } = createReferenceServer()
    const add = (more: object) => () => faults.add({ kind: 'unavailable', ...more } as never)
    expect(add({ match: () => true })).toThrow('has members that do not exist: "match"')
    expect(add({ when: { prompt: 'bad' } })).toThrow('/when')
    expect(add({ kind: 'response', body: { text: () => 'x' } })).toThrow('/body/text is a function')
    expect(faults.list()).toEqual([])
  })
})

it.each<[string, unknown]>([
  ['', undefined],
  ['/prompt', { prompt: undefined }],
  ['/prompt', { prompt: /good/ }],
  ['/prompt', { prompt: () => true }],
  ['/size/1', { size: [1, Number.NaN] }],
  ['/size/w', { size: { w: undefined } }],
  ['', new Map([['prompt', 'bad']])],
  ['', { [Symbol('prompt')]: 'bad' }],
])('a pattern that is not JSON at /input%s is rejected: it would fit other runs', (place, input) => {
  const { script, faults } = createReferenceServer()
  const when = { input } as never
  const problem = new RegExp(`^\`when\` is not JSON: /input${place} (is|has) `)
  expect(() => script('aurora-image', [{ result: 'failed', when }])).toThrow(problem)
  expect(() => faults.add({ kind: 'reset', when })).toThrow(problem)
})

it.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw new Error('no prompt')
    },
    'threw Error: no prompt.',
  ],
  ['returns a promise', () => Promise.reject(new Error('late')), 'returned a promise. It must return true or false.'],
])('a condition that %s is named in the response', async (_, input, problem) => {
  const { server, caller } = openServer({ clock: 'manual', log: () => {} })
  const when = { input: input as () => boolean }
  server.script('aurora-image', [{ result: 'failed', when }])
  const message = async () => (await caller.run(run.path, inputOf('x'))).body
  expect(await message()).toMatchObject({
    error: { message: `The function \`when.input\` of a script of aurora-image ${problem}` },
  })
  const { id } = server.faults.add({ kind: 'reset', when })
  expect(await message()).toMatchObject({
    error: { message: `The function \`when.input\` of the fault ${id} (reset) ${problem}` },
  })
})

it('rejects names that do not exist, and other types', async () => {
  const server = createReferenceServer({ clock: 'manual' })
  const { journal, webhooks } = server
  // What programs without types may pass.
  const calls: [() => unknown, string][] = [
    [() => server.requests({ route: 'runModels' } as object), 'did you mean `runModel`?'],
    [() => server.requests({ modle: 'aurora-image' } as object), 'did you mean `model`?'],
    [() => server.requests({ model: 'aurora-imag' }), 'Did you mean aurora-image?'],
    [() => journal.entries({ kind: 'requests' } as object), 'did you mean `request`?'],
    [() => journal.text({ jobid: 'job_1' } as object), 'did you mean `jobId`?'],
    [() => webhooks.script(null as never), 'must be an object, not null'],
    [() => webhooks.deliver('x' as never), 'must be a function'],
    [() => createReferenceServer({ clock: { scale: '60' as never } }), 'must be'],
  ]
  for (const [call, message] of calls) expect(call).toThrow(message)
  await expect(webhooks.next({ jobid: 'job_1' } as object)).rejects.toThrow('did you mean `jobId`?')
})

it('requests() is in the order in which they came, with what a fault kept from the work', async () => {
  const { server, caller } = openServer({ clock: 'manual' })
  const held = caller.run('aurora-image', { input: { prompt: 'first' } })
  await expect.poll(() => server.report().unfinishedJobs).toHaveLength(1)
  const [{ job_id = '' } = {}] = server.report().unfinishedJobs
  const leaves = new AbortController()
  server.faults.add({ kind: 'hang', route: 'getJob', times: 1 })
  const hung = caller.call('GET', `/v1/jobs/${job_id}`, { signal: leaves.signal })
  server.faults.add({ kind: 'rate-limit', route: 'getJob', times: 1 })
  await expect.poll(() => server.faults.list()[0]?.used).toBe(1)
  await caller.get(`/v1/jobs/${job_id}`)
  await server.clock.advance(5_000)
  await held
  leaves.abort()
  await expect(hung).rejects.toThrow('aborted')
  const received = () => server.requests({ model: 'aurora-image' }).map(({ route, status }) => [route, status])
  await expect.poll(received).toEqual([
    ['runModel', 200],
    ['getJob', undefined],
    ['getJob', 429],
  ])
  expect(server.story(job_id)).toContain('no response (fault: hang (fault_1))')
  expect(server.journal.text({ jobId: job_id })).toContain('429 RATE_LIMITED (fault: rate-limit (fault_2))')
  await caller.post('/v1/models/aurora-image/run', null)
  expect(server.requests().at(-1)?.body).toBeNull()
})

it('requests() has whole bodies, by endpoint and model', async () => {
  const { server, caller } = openServer({ clock: 'manual' })
  const prompt = 'long '.repeat(1_000)
  await caller.run('aurora-image', { sync: false, input: { prompt } })
  const { job_id } = (await caller.run('lumen/aurora-video', { sync: false, input: { prompt: 'b' } })).body
  await caller.get(`/v1/jobs/${job_id}`)
  expect(server.requests({ route: 'runModel' }).map(({ body }) => body)).toEqual([
    { sync: false, input: { prompt } },
    { sync: false, input: { prompt: 'b' } },
  ])
  expect(server.requests({ model: 'lumen/aurora-video' }).map(({ route }) => route)).toEqual(['runModel', 'getJob'])
  expect(server.requests({ key: server.createKey().key })).toEqual([])
})

it.each([
  [3, 'in real time', [{}, { clock: { scale: 60 } }, { seed: 'random', clock: 'auto' }] as const],
  [1, 'in virtual time, and with a seed', [{ clock: 'auto' }, { clock: 'manual' }, { seed: 1 }] as const],
])('makes %i different ids in three starts %s, and the same first key', async (different, _, options) => {
  const servers = options.map((one) => createReferenceServer(one))
  const ids = servers.map(async (server) => (await apiCaller(server).run('aurora-image', inputOf('x'))).body.job_id)
  expect(new Set(await Promise.all(ids)).size).toBe(different)
  expect(new Set(servers.map(({ apiKey }) => apiKey)).size).toBe(1)
})
