import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigurationError } from '@modelrun/kit'
import { afterAll, describe, expect, test } from 'vitest'
import { errorResponse } from '../../test/scripted-service.ts'
import { API_KEY, BASE_URL, createTestClient } from '../../test/test-client.ts'
import { outcomeOf, problemOfError, type RightCall, wrongCalls, wrongValues } from '../../test/wrong-values.ts'
import {
  CALL_OF_RUN,
  CALL_OPTIONS,
  LIST_QUERY,
  REQUEST_OPTIONS,
  RUN_BODY,
  RUN_MANY_OPTIONS,
  RUN_OPTIONS,
  SUBMIT_OPTIONS,
  WAIT_OPTIONS,
} from './call-options.ts'
import { ModelRun } from './client.ts'
import { CLIENT_OPTIONS, POLLING_OPTIONS } from './client-options.ts'
import { DOWNLOAD_OPTIONS, SAVE_OPTIONS } from './files/use-files.ts'

const FOLDER = join(tmpdir(), 'modelrun-wrong-arguments')
const input = { prompt: 'a red fox' }
const result = { job_id: 'job_1', status: 'succeeded', output: { type: 'image', items: [] } }

/** Each public method. */
const METHODS: Record<string, RightCall> = {
  'client.run': { right: ['aurora-image', input, {}], members: { 2: RUN_OPTIONS } },
  'client.submit': { right: ['aurora-image', input, {}], members: { 2: SUBMIT_OPTIONS } },
  'client.runMany': { right: ['aurora-image', [input], {}], members: { 2: RUN_MANY_OPTIONS } },
  'client.request': { right: ['GET', '/v1/models', {}], members: { 2: REQUEST_OPTIONS } },
  'client.withOptions': { right: [{}], members: { 0: CLIENT_OPTIONS } },
  'client.models.list': { right: [{}, {}], members: { 0: LIST_QUERY, 1: CALL_OPTIONS } },
  'client.models.get': { right: ['aurora-image', {}], members: { 1: CALL_OPTIONS } },
  'client.models.run': { right: ['aurora-image', { input }, {}], members: { 1: RUN_BODY, 2: CALL_OF_RUN } },
  'client.jobs.attach': { right: ['job_1'] },
  'client.jobs.get': { right: ['job_1', {}], members: { 1: CALL_OPTIONS } },
  'client.jobs.cancel': { right: ['job_1', {}], members: { 1: CALL_OPTIONS } },
  'client.jobs.settle': { right: [['job_1'], {}], members: { 1: WAIT_OPTIONS } },
  'client.files.download': { right: ['https://files.example.com/0.png', {}], members: { 1: DOWNLOAD_OPTIONS } },
  'client.files.save': { right: [result, FOLDER, {}], members: { 2: SAVE_OPTIONS } },
  'job.get': { right: [{}], members: { 0: CALL_OPTIONS } },
  'job.cancel': { right: [{}], members: { 0: CALL_OPTIONS } },
  'job.result': { right: [{}], members: { 0: WAIT_OPTIONS } },
  'job.updates': { right: [{}], members: { 0: WAIT_OPTIONS } },
}

/** Without arguments, or not for users. */
const OTHERS = ['client.baseUrl', 'client.clock', 'job.toJSON', 'job.waitRequest']

/** How errors name a method: those of a job by its id are those of its handle. */
const placeOf = (path: string) => path.replace(/^client\.jobs\.(?=get|cancel)/, 'job.')

const { client: sample } = createTestClient([])
const OWNERS: Record<string, object> = {
  client: sample,
  'client.models': sample.models,
  'client.jobs': sample.jobs,
  'client.files': sample.files,
  job: sample.jobs.attach('job_1'),
}

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

test('the table has every method', () => {
  const methods = Object.entries(OWNERS).flatMap(([owner, object]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(object)).map((name) => `${owner}.${name}`),
  )
  const isConstructor = (name: string) => name.endsWith('.constructor')
  expect(methods.filter((name) => !isConstructor(name)).sort()).toEqual([...Object.keys(METHODS), ...OTHERS].sort())
})

async function callWrongly(path: string, args: readonly unknown[]) {
  const { client, service } = createTestClient([errorResponse(404, 'NOT_FOUND')])
  const names = path.split('.')
  const method = names.pop() ?? ''
  const roots: Record<string, unknown> = { client, job: client.jobs.attach('job_1') }
  const owner = names.slice(1).reduce<unknown>((at, name) => Reflect.get(Object(at), name), roots[names[0] ?? ''])
  const outcome = await outcomeOf(() => Reflect.get(Object(owner), method).apply(owner, args))
  return { error: 'error' in outcome ? outcome.error : undefined, requestCount: service.received.length }
}

describe.each(Object.entries(METHODS))('%s', (path, method) => {
  test('fails with errors of this package for whatever is passed, and sends nothing when an argument is wrong', async () => {
    // A folder of the name x would be made.
    const calls = wrongCalls(method).filter(([, args]) => path !== 'client.files.save' || args[1] !== 'x')
    const outcomes = await Promise.all(
      calls.map(async ([what, args]) => ({ what, ...(await callWrongly(path, args)) })),
    )
    const problems = outcomes.flatMap(({ what, error }) => {
      const problem = error === undefined ? undefined : problemOfError(error)
      return problem === undefined ? [] : [`${what}: ${problem}`]
    })
    const wrong = outcomes.filter(({ error }) => error instanceof ConfigurationError)
    expect(problems).toEqual([])
    expect(wrong.filter(({ requestCount }) => requestCount > 0)).toEqual([])
    // If the call accepted everything, the rest of this test could not fail.
    expect(wrong.length).toBeGreaterThan(15)
  })

  test('says where the argument is wrong', async () => {
    const { error } = await callWrongly(path, method.right.with(-1, 7))
    const isSource = path === 'client.jobs.attach'
    expect((error as Error).message).toContain(isSource ? 'A job must be an id or' : `of \`${placeOf(path)}\` must be`)
  })

  test('rejects an option that is not known', async () => {
    for (const [place, names] of Object.entries(method.members ?? {})) {
      const name = Object.keys(names)[0] ?? ''
      const misspelt = { ...Object(method.right[Number(place)]), [`${name}s`]: 1 }
      const { error, requestCount } = await callWrongly(path, method.right.with(Number(place), misspelt))
      expect((error as Error).message).toContain(
        `\`${name}s\` of \`${placeOf(path)}\` is unknown (did you mean \`${name}\`?).`,
      )
      expect(requestCount).toBe(0)
    }
  })
})

describe('new ModelRun', () => {
  const right = { apiKey: API_KEY, baseUrl: BASE_URL, logLevel: 'off' }
  const wrongOptions: [what: string, options: unknown][] = [
    ...wrongValues().filter(([, value]) => value !== undefined),
    ...wrongValues().flatMap(([what, value]): [string, unknown][] => [
      ...Object.keys(CLIENT_OPTIONS).map((name): [string, unknown] => [
        `${name}: ${what}`,
        { ...right, [name]: value },
      ]),
      ...Object.keys(POLLING_OPTIONS).map((name): [string, unknown] => [
        `polling.${name}: ${what}`,
        { ...right, polling: { [name]: value } },
      ]),
    ]),
  ]

  test('fails with errors of this package for whatever is passed', async () => {
    const problems: string[] = []
    let wrongCount = 0
    for (const [what, options] of wrongOptions) {
      const outcome = await outcomeOf(() => new ModelRun(options as ConstructorParameters<typeof ModelRun>[0]))
      if (!('error' in outcome)) continue
      wrongCount++
      const problem = problemOfError(outcome.error)
      if (problem !== undefined) problems.push(`${what}: ${problem}`)
    }
    expect(problems).toEqual([])
    expect(wrongCount).toBeGreaterThan(300)
  })

  test('does not print a key that is passed in place of the options', () => {
    const wrong = API_KEY as unknown as object
    expect(() => new ModelRun(wrong)).toThrow('`options` of `new ModelRun` must be an object, like { apiKey: … }.')
    expect(() => new ModelRun(wrong)).not.toThrow(API_KEY)
  })
})
