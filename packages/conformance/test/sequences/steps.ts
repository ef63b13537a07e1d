import { seededRandom } from '@modelrun/kit'
import type { SpecialKey } from '../../src/options.ts'

/** None, or one of those that lack something. */
export type StepKey = SpecialKey | 'none'

/** One step of a sequence. `kind` groups the differences. */
export type Step =
  | {
      kind: string
      method: string
      path: string
      key?: StepKey
      body?: unknown
      text?: string
      contentType?: string
    }
  | { kind: string; job: 'read' | 'cancel' }
  | { kind: string; sleepMs: number }

/** The models of a sequence. */
export interface StepModels {
  main: string
  slow: string
  failing: string
}

const INPUT = { prompt: 'a lighthouse' }
const HOOK = { webhook_url: 'https://receiver.test/hook' }
const SLEEPS = [137, 600, 2_900, 11_000, 70_000]

type Pick = <Item>(items: readonly Item[]) => Item

/** A random sequence of steps: what a client may send, right and wrong. The same seed gives the same. */
export function randomSteps(seed: number, models: StepModels): Step[] {
  const random = seededRandom(seed)
  const pick: Pick = (items) => {
    const item = items[Math.floor(random() * items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }
  const length = 4 + Math.floor(random() * 6)
  return Array.from({ length }, () =>
    pick([listing, detail, running, running, rejectedRun, jobStep, jobStep, pause])(pick, models),
  )
}

type MakeStep = (pick: Pick, models: StepModels) => Step

const listing: MakeStep = (pick) => {
  const query = pick([
    '',
    '?limit=5&offset=3',
    '?limit=0',
    '?limit=many',
    '?limit=-3',
    '?limit=3.7',
    '?limit=',
    '?offset=',
    '?limit=5abc',
    '?category=',
    '?limit=5000',
    '?offset=-1',
    '?offset=many',
    '?offset=2000000',
    '?limit=101',
    '?category=text-to-image',
    '?category=no-such-category',
    '?search=Carefully',
    '?search=arefull',
    '?search=CAREFULLY',
    '?search=Model%203',
    '?page=2',
  ])
  return { kind: `list ${query}`, method: 'GET', path: `/v1/models${query}` }
}

const detail: MakeStep = (pick, { main }) => {
  const [kind, path, key] = pick<readonly [string, string, StepKey?]>([
    ['model', `/v1/models/${encodeURIComponent(main)}`],
    ['model, slash as it is', `/v1/models/${main.split('/').map(encodeURIComponent).join('/')}`],
    ['unknown model', '/v1/models/no-such-model'],
    ['unknown model, no models:read', '/v1/models/no-such-model', 'without-models-read'],
    ['query of a model', `/v1/models/${encodeURIComponent(main)}?x=1`],
    ['path without version', '/models'],
    ['unknown path without a key', '/v1/no-such-path', 'none'],
  ])
  return { kind, method: 'GET', path, ...(key === undefined ? {} : { key }) }
}

const running: MakeStep = (pick, models) => {
  const [name, model] = pick(Object.entries(models))
  const [mode, more] = pick([
    ['sync', {}],
    ['async', { sync: false }],
    ['webhook', HOOK],
    ['async with webhook', { sync: false, ...HOOK }],
  ] as const)
  return run(`${mode} run of the ${name} model`, model, { body: { input: INPUT, ...more } })
}

const OTHER_SCHEME = { webhook_url: 'ftp://receiver.test' }

/** Runs with two mistakes. */
const twoMistakes: readonly (readonly [string, Partial<Request>])[] = [
  ['no models:run and no input', { key: 'without-models-run', body: {} }],
  ['no models:run and broken JSON', { key: 'without-models-run', text: '{"input":' }],
  ['wrong webhook and wrong input', { body: { input: {}, ...OTHER_SCHEME } }],
  ['wrong webhook and no input', { body: OTHER_SCHEME }],
  ['no credits and wrong input', { key: 'no-credits', body: { input: {} } }],
  ['no credits and wrong webhook', { key: 'no-credits', body: { input: INPUT, ...OTHER_SCHEME } }],
]

const rejectedRun: MakeStep = (pick, { main }) => {
  const input = (kind: string, value: unknown) => [kind, { body: { input: value, sync: false } }] as const
  const keyed = (kind: string, key: SpecialKey, more = {}) =>
    [kind, { key, body: { input: INPUT, sync: false, ...more } }] as const
  const [kind, request] = pick<readonly [string, Partial<Request>]>([
    input('missing parameter', {}),
    input('wrong enum', { ...INPUT, image_size: 'huge' }),
    input('wrong type', { prompt: 1 }),
    input('above maximum', { ...INPUT, num_images: 5 }),
    input('unknown parameter', { ...INPUT, colour: 'red' }),
    ['missing parameter, sync', { body: { input: {} } }],
    ['missing input', { body: {} }],
    ['sync in quotes', { body: { input: INPUT, sync: pick(['false', 'true', 'yes', '0']) } }],
    ['sync of another type', { body: { input: INPUT, sync: pick([0, 1, null]) } }],
    ['another body', { text: pick(['[]', '[{}]', 'null', '7', '"text"', '']) }],
    ['no webhook url', { body: { input: INPUT, sync: false, webhook_url: 'conformance' } }],
    ['special webhook url', { body: { input: INPUT, webhook_url: pick([null, '', 7, 'conformance']) } }],
    input('null for a parameter', { ...INPUT, num_images: null }),
    input('empty text', { prompt: '' }),
    ...twoMistakes,
    ['broken JSON', { text: '{"input":' }],
    ['other content type', { text: JSON.stringify({ input: INPUT, sync: false }), contentType: 'text/plain' }],
    ['unknown member', { body: { input: INPUT, sync: false, priority: 1 } }],
    ['other webhook scheme', { body: { input: INPUT, sync: false, webhook_url: 'ftp://receiver.test' } }],
    keyed('no credits', 'no-credits'),
    keyed('no jobs:write', 'without-jobs-write'),
    keyed('no models:run', 'without-models-run'),
    keyed('no webhooks:manage', 'without-webhooks-manage', HOOK),
    keyed('blocked address', 'blocked-ip'),
    keyed('revoked key', 'revoked'),
  ])
  // Two mistakes where something else is wrong too.
  return pick([true, true, true, true, false])
    ? run(kind, main, request)
    : run(`${kind}, unknown model`, 'no-such-model', pick([request, { body: { input: INPUT } }]))
}

const jobStep: MakeStep = (pick) =>
  pick<Step>([
    { kind: 'read of a job', job: 'read' },
    { kind: 'read of a job', job: 'read' },
    { kind: 'cancel of a job', job: 'cancel' },
    { kind: 'read of an unknown job', method: 'GET', path: '/v1/jobs/no-such-job' },
    { kind: 'read of an unknown job', method: 'GET', path: '/v1/jobs/no-such-job', key: 'without-jobs-read' },
    { kind: 'cancel of an unknown job', method: 'DELETE', path: '/v1/jobs/no-such-job', key: 'read-only' },
    { kind: 'cancel of an unknown job', method: 'DELETE', path: '/v1/jobs/no-such-job' },
    { kind: 'wrong method', method: 'PUT', path: '/v1/models' },
    { kind: 'wrong method without a key', method: 'PUT', path: '/v1/models', key: 'none' },
  ])

const pause: MakeStep = (pick) => {
  const sleepMs = pick(SLEEPS)
  return { kind: `${sleepMs} ms`, sleepMs }
}

interface Request {
  body: unknown
  text: string
  contentType: string
  key: SpecialKey
}

function run(kind: string, model: string, request: Partial<Request>): Step {
  return { kind: `run: ${kind}`, method: 'POST', path: `/v1/models/${encodeURIComponent(model)}/run`, ...request }
}
