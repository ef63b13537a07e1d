import type { AssumptionOptions } from '@modelrun/contract/assumptions'
import { tryParseJson } from '@modelrun/kit'
import { expect, it } from 'vitest'
import { createReferenceServer } from '../reference-server.ts'
import { Learner } from './learner.ts'

const MODEL = 'aurora-image'
const INPUT = { prompt: 'a lighthouse' }
const teapot = (code: string) => ({ status: 418, code })

/** A recorder of a server with these assumptions, and what it has learned. */
function recorded(assumptions: AssumptionOptions) {
  const server = createReferenceServer({ clock: 'auto', assumptions })
  const learner = new Learner({ service: server.baseUrl, exchanges: 0, catalog: [], profile: {}, notReplayed: [] })
  const send = async (
    method: string,
    path: string,
    { sent, key = server.apiKey }: { sent?: unknown; key?: string },
  ) => {
    const body = sent === undefined ? '' : typeof sent === 'string' ? sent : JSON.stringify(sent)
    const startedAt = server.clock.now()
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await server.fetch(path, { method, headers, ...(body === '' ? {} : { body }) })
    const [pathOnly = '', query = ''] = path.split(/(?=\?)/)
    const json = tryParseJson(await response.text())
    const hasRequestId = response.headers.has('x-request-id')
    const { status } = response
    const seen = { status, hasRequestId, json, startedAt, endedAt: server.clock.now() }
    await learner.learn({ method, path: pathOnly, query, contentType: 'application/json', body, ...seen })
  }
  const read = (path: string) => send('GET', path, {})
  const run = (body: unknown, { model = MODEL, key = server.apiKey } = {}) =>
    send('POST', `/v1/models/${encodeURIComponent(model)}/run`, { sent: body, key })
  return { server, read, run, profile: () => learner.recording().profile }
}

it('learns what each page that makes no sense does (section 4.1)', async () => {
  const rejections = {
    limitZero: 'asked',
    limitNegative: 'accepted',
    limitText: 'default',
    pageFraction: 'accepted',
  } as const
  const others = { offsetText: teapot('PLACE'), offsetBeyondEnd: 'accepted' } as const
  const { read, profile } = recorded({ rejections: { ...rejections, ...others } })
  for (const query of ['limit=0', 'limit=-3', 'limit=x', 'limit=2.5', 'offset=x', 'offset=1000000000000000000'])
    await read(`/v1/models?${query}`)
  expect(profile().rejections).toEqual({ ...rejections, offsetText: teapot('PLACE'), offsetBeyondEnd: 'accepted' })
})

it('learns the order of checks from runs with two mistakes, each seen alone before (section 7)', async () => {
  const rejections = { invalidBody: teapot('BODY'), unknownModelRun: teapot('MODEL'), webhookScheme: teapot('URL') }
  const { server, read, run, profile } = recorded({
    checkOrder: ['runModel', 'models:run', 'json', 'body', 'webhook'],
    rejections,
  })
  await read(`/v1/models/${encodeURIComponent(MODEL)}`)
  await run({ input: INPUT }, { model: 'none' })
  await run({})
  await run({ input: INPUT, webhook_url: 'ftp://receiver.test' })
  await run({ webhook_url: 'ftp://receiver.test' }, { model: 'none' })
  const { key } = server.createKey({ permissions: ['models:read'] })
  await run({}, { key })
  const { checkOrder = [], ...learned } = profile()
  expect(learned.rejections).toEqual(rejections)
  const place = (name: (typeof checkOrder)[number]) => checkOrder.indexOf(name)
  expect(place('runModel')).toBeLessThan(place('body'))
  expect(place('models:run')).toBeLessThan(place('body'))
})

it('learns other values of sync, other bodies, and members that are not named (sections 2.4 and 4.3)', async () => {
  const rejections = {
    syncWord: 'async',
    syncNumber: 'accepted',
    syncNull: teapot('SYNC'),
    arrayBody: teapot('ARRAY'),
  } as const
  const runFields = ['completed/credits_remaining', 'queued/created_at']
  const { read, run, profile } = recorded({ rejections, runFields })
  await read(`/v1/models/${encodeURIComponent(MODEL)}`)
  for (const sync of ['false', 0, null]) await run({ input: INPUT, sync })
  await run('[]')
  expect(profile().rejections).toEqual(rejections)
  expect(profile().runFields?.toSorted()).toEqual(runFields)
})
