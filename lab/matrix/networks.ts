import {
  type Act,
  accepted,
  completed,
  errorAct,
  html,
  jobAct,
  json,
  type Network,
  okRun,
  type RunAct,
} from './acts.ts'
import type { ServiceJob } from './service-job.ts'

/** The run never arrives at the service: its connection ends, or something in front of it responds. */
const only = (act: Act): RunAct => {
  return () => act
}
/** The service accepts the run, and this is what the client gets. */
const charged = (act: (job: ServiceJob) => Act): RunAct => {
  return ({ create }) => act(create())
}

const reset: Act = { ending: 'reset' }
const close: Act = { ending: 'close' }
const silence: Act = { ending: 'stall' }
const network = (name: string, does: Omit<Network, 'name'>): Network => ({ name, ...does })
const run = (name: string, ...acts: RunAct[]): Network => network(`run: ${name}`, { run: acts })
const poll = (name: string, ...polls: NonNullable<Network['polls']>): Network =>
  network(`poll: ${name}`, { run: [queued], polls, endMs: 60 })

/** Networks by their names. */
const runs = (acts: Record<string, RunAct | RunAct[]>) =>
  Object.entries(acts).map(([name, act]) => run(name, ...[act].flat()))
const polls = (acts: Record<string, (job: ServiceJob) => Act>) =>
  Object.entries(acts).map(([name, act]) => poll(name, act))
const shapes = (bodies: Record<string, (job: ServiceJob) => unknown>) =>
  Object.entries(bodies).map(([name, body]) =>
    run(
      `shape: ${name}`,
      charged((job) => json(200, body(job))),
    ),
  )

const queued = charged((job) => accepted(job))
const cut = (act: Act, at: (body: string) => number, ending: Act['ending']): Act => {
  const { body = '' } = act
  return { ...act, cutAt: at(body), ...(ending === undefined ? {} : { ending }) }
}
const inId = (body: string) => body.indexOf('"job_id":"') + 14
const afterId = (body: string) => body.indexOf('"request_id"')
const beforeEnd = (body: string) => body.length - 3
const after = (seconds: number) => ({ 'retry-after': String(seconds) })

/** Everything goes well. */
const HEALTHY: readonly Network[] = [
  network('good', {}),
  network('good, 202 only', { run: [queued], endMs: 60 }),
  network('good, accepted by 200', { run: [charged((job) => accepted(job, 200))], endMs: 60 }),
  network('good, slow', { run: [charged((job) => ({ ...accepted(job), delayMs: 60 }))], endMs: 120 }),
  network('webhook lost', { run: [queued], deliveries: 0 }),
  network('webhook twice', { run: [queued], deliveries: 2 }),
  network('unknown status, then good', {
    run: [queued],
    polls: [() => json(200, { data: { status: 'thawing' } }), jobAct],
  }),
  poll('429 once', () => errorAct(429, 'RATE_LIMITED', after(0)), jobAct),
  poll('503 page once', () => html(503), jobAct),
  poll('404 page once', () => html(404), jobAct),
  poll('reset once', () => reset, jobAct),
].map((each) => ({ ...each, isHealthy: true }))

const BROKEN: readonly Network[] = [
  network('refused', { place: 'closed port' }),
  network('no TLS', { place: 'no TLS' }),
  network('too slow', { endMs: 5_000 }),
  ...runs({
    'reset before charge': only(reset),
    'reset after charge': charged(() => reset),
    'empty reply after charge': charged(() => close),
    'body cut in the id': charged((job) => cut(accepted(job), inId, 'reset')),
    'body cut after the id': charged((job) => cut(accepted(job), afterId, 'reset')),
    'body cut at its end': charged((job) => cut(completed(job), beforeEnd, 'close')),
    'headers hang': only(silence),
    'headers hang after charge': charged(() => silence),
    'body hangs at once': charged((job) => cut(accepted(job), () => 0, 'stall')),
    'body hangs after the id': charged((job) => cut(accepted(job), afterId, 'stall')),
  }),
]

const PAGES: readonly Network[] = [
  ...runs({
    '502 page after charge': charged(() => html(502)),
    '503 page after charge': charged(() => html(503)),
    '503 page, Retry-After, after charge': charged(() => html(503, after(0))),
    '504 page after charge': charged(() => html(504)),
    '503 empty, Retry-After, after charge': charged(() => ({ status: 503, headers: after(0) })),
    '503 of another JSON, Retry-After': charged(() => json(503, { message: 'no healthy upstream' }, after(0))),
    '200 page after charge': charged(() => html(200)),
    '403 page': only(html(403)),
    '404 page': only(html(404)),
    '429 page': only(html(429)),
    '429 page with Retry-After, then good': [only(html(429, after(0))), okRun],
    '302 after charge': charged(() => ({ status: 302, headers: { location: '../login' } })),
    '307': only({ status: 307, headers: { location: '/elsewhere' } }),
    '303 to the job': charged(({ id }) => ({ status: 303, headers: { location: `/v1/jobs/${id}` } })),
  }),
]

const REJECTED: readonly Network[] = [
  ...[401, 402, 403, 404, 422].map((status) => run(`${status} JSON`, only(errorAct(status, 'NO')))),
  ...runs({
    '503 JSON with Retry-After, then good': [only(errorAct(503, 'BUSY', after(0))), okRun],
    '503 JSON with Retry-After 1 s, then good': [only(errorAct(503, 'BUSY', after(1))), okRun],
    '503 JSON with Retry-After': only(errorAct(503, 'BUSY', after(0))),
    '503 JSON with Retry-After 1 h': only(errorAct(503, 'BUSY', after(3_600))),
    '503 JSON without Retry-After': charged(() => errorAct(503, 'BUSY')),
    '429 JSON, then good': [only(errorAct(429, 'RATE_LIMITED')), okRun],
    '429 JSON with Retry-After': only(errorAct(429, 'RATE_LIMITED', after(0))),
    '429 JSON with Retry-After 1 h': only(errorAct(429, 'RATE_LIMITED', after(3_600))),
    '429, then reset after charge': [only(errorAct(429, 'RATE_LIMITED')), charged(() => reset)],
    '500 JSON after charge': charged(() => errorAct(500, 'INTERNAL')),
    '500 JSON with the job': charged(({ id }) => json(500, { job_id: id, error: { code: 'X', message: 'm' } })),
    '408 JSON after charge': charged(() => errorAct(408, 'TIMEOUT')),
  }),
]

const SHAPES: readonly Network[] = [
  network('shape: number as id', {
    hasNumberIds: true,
    run: [charged(({ id }) => json(202, { job_id: Number(id), status: 'queued' }))],
  }),
  ...shapes({
    'id alone': ({ id }) => ({ job_id: id }),
    'no id': ({ output }) => ({ status: 'completed', output }),
    'empty id': ({ output }) => ({ job_id: '', status: 'completed', output }),
    'in data': ({ id, output }) => ({ data: { job_id: id, status: 'completed', output } }),
    'id instead of job_id': ({ id }) => ({ id, status: 'queued' }),
    'no output': ({ id }) => ({ job_id: id, status: 'completed' }),
    'output as text': ({ id }) => ({ job_id: id, status: 'completed', output: 'done' }),
    'items as text': ({ id }) => ({ job_id: id, status: 'completed', output: { type: 'image', items: 'x' } }),
    'status as number': ({ id }) => ({ job_id: id, status: 3 }),
    'status failed, error as text': ({ id }) => ({ job_id: id, status: 'failed', error: 'boom' }),
    'a list': ({ id }) => [{ job_id: id }],
  }),
]

const POLLS: readonly Network[] = [
  network('unknown status for ever', { run: [queued], end: 'never' }),
  network('cancelled by another', { run: [queued], end: 'cancelled' }),
  network('job fails', { end: 'failed' }),
  network('job fails, error as text', {
    run: [queued],
    end: 'failed',
    polls: [({ status }) => json(200, { data: { status, error: 'boom' } })],
  }),
  network('job fails without error', {
    run: [queued],
    end: 'failed',
    polls: [({ status }) => json(200, { data: { status } })],
  }),
  ...polls({
    '404': () => errorAct(404, 'NOT_FOUND'),
    '401': () => errorAct(401, 'UNAUTHORIZED'),
    '429 for ever': () => errorAct(429, 'RATE_LIMITED', after(1)),
    '500': () => errorAct(500, 'INTERNAL'),
    reset: () => reset,
    hangs: () => silence,
    page: () => html(200),
    '404 page': () => html(404),
    'body hangs': (job) => cut(jobAct(job), beforeEnd, 'stall'),
    null: () => json(200, null),
    'status missing': () => json(200, { data: {} }),
    'succeeded without output': () => json(200, { data: { status: 'succeeded' } }),
  }),
]

/** Everything that may happen between a client and the service. */
export const NETWORKS: readonly Network[] = [...HEALTHY, ...BROKEN, ...PAGES, ...REJECTED, ...SHAPES, ...POLLS]
