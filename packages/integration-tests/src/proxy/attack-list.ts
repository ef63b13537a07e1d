import { gzipSync } from 'node:zlib'

/** A request that must not get through. A session of the attacker and the headers of a page of the own origin are there by default. */
export interface Attack {
  name: string
  /** Why it is rejected, and what it could do otherwise. */
  why: string
  /** Method and path, as they are written into the request. */
  target: string
  headers?: Record<string, string | undefined> | undefined
  body?: string | Buffer
  status: number
}

/** What an attacker knows: ids that it has no right to, and one of its own. */
export interface Loot {
  /** The id by which another user knows its job. */
  othersJob: string
  /** The id by which the service knows that job. */
  rawJob: string
  /** An id that was sealed for the attacker with another secret. */
  foreignJob: string
  /** A job of the attacker. */
  ownJob: string
  /** A model of the service that is not in the list of the proxy. */
  hiddenModel: string
}

const BASE = '/api/modelrun/v1'
/** The run that attacks vary. */
export const RUN = `POST ${BASE}/models/aurora-image/run`
export const BODY = JSON.stringify({ input: { prompt: 'x' }, sync: false })

type Row = readonly [name: string, why: string, what: string]

export function attackList(loot: Loot): Attack[] {
  return [
    ...attacksOnJobs(loot),
    ...PATHS.map(([name, why, target]) => ({ name, why, target, status: 404 })),
    ...attacksOnModels(loot.hiddenModel),
    ...attacksOnOrigins(loot.ownJob),
    ...SESSIONS.map(([name, why, authorization]) => onRun({ name, why, headers: { authorization }, status: 401 })),
    ...BODIES.map(([name, why, body]) => onRun({ name, why, body, status: 400 })),
    ...attacksByForm(),
    ...attacksOnMethods(loot.ownJob),
  ]
}

const onRun = (attack: Omit<Attack, 'target'>): Attack => ({ target: RUN, body: BODY, ...attack })

function attacksOnJobs({ othersJob, rawJob, foreignJob, ownJob }: Loot): Attack[] {
  const mixed = [...othersJob.split('~').slice(0, 3), ownJob.split('~')[3]].join('~')
  const rows: Row[] = [
    ['the job of another user', 'the id is signed for its user: results are private', `GET ${othersJob}`],
    ["a cancel of another user's job", 'the same; it would lose what was paid', `DELETE ${othersJob}`],
    ['the id that the service has', 'only signed ids are ids: those of the service may leak in urls', `GET ${rawJob}`],
    ['an id of another secret', 'an id of a staging system is not signed here', `GET ${foreignJob}`],
    ["another user's job with an own signature", 'the signature covers the job', `GET ${mixed}`],
    ['a shortened signature', 'a signature has one length', `GET ${othersJob.slice(0, -4)}`],
    ['an own job with another key id', 'the signature covers the key', `GET ${ownJob.replace('~1~', '~2~')}`],
    ['a step up behind a right id', 'the whole segment must be an id', `GET ${ownJob}%2f..%2f..%2fkeys`],
  ]
  return rows.map(([name, why, what]) => ({ name, why, target: what.replace(' ', ` ${BASE}/jobs/`), status: 404 }))
}

const PATHS: Row[] = [
  ['an encoded step up', 'an id is one segment, and is never decoded into a path', `GET ${BASE}/jobs/..%2fmodels`],
  ['encoded dots', 'the rest is not below the proxy', `GET ${BASE}/jobs/%2e%2e/%2e%2e/%2e%2e/%2e%2e/_reference/keys`],
  ['dots', 'the path that was sent counts', 'GET /api/modelrun/../../_reference/keys'],
  ['two slashes', 'the path is never read as a host', `GET //evil.example.com${BASE}/models`],
  ['an empty segment', 'paths are compared, not interpreted', 'GET /api/modelrun//v1/models'],
  ['another route of the service', 'the proxy has the routes of models and jobs alone', `GET ${BASE}/keys`],
  ['a route that the service may have some day', 'routes are a list of what is allowed', `POST ${BASE}/webhooks`],
  ['the control routes of a reference server', 'the same', 'GET /api/modelrun/_reference/keys'],
  ['a list of all jobs', 'the same', `GET ${BASE}/jobs`],
  ['a path beside the proxy', 'only what is below `basePath` is served', 'GET /v1/models'],
]

function attacksOnModels(hiddenModel: string): Attack[] {
  const hidden = encodeURIComponent(hiddenModel)
  const rows: Row[] = [
    ['a model that is not in the list', 'the list says what may be spent on', hidden],
    ['a model in other letters', 'ids are compared exactly: a service may fold them', 'Aurora-Image'],
    ['a step from one model to another', 'the whole id is looked up', `aurora-image%2f..%2f${hidden}`],
    ['a model that is not text', 'what cannot be decoded is not an id', '%E0%A4%A'],
  ]
  return rows.flatMap(([name, why, id]) => [
    { ...onRun({ name: `a run of ${name}`, why, status: 404 }), target: `POST ${BASE}/models/${id}/run` },
    { name: `the details of ${name}`, why, status: 404, target: `GET ${BASE}/models/${id}` },
  ])
}

function attacksOnOrigins(ownJob: string): Attack[] {
  const bare = { 'sec-fetch-site': undefined, origin: undefined }
  const crossSite = { 'sec-fetch-site': 'cross-site' }
  const rows: [name: string, why: string, headers: Attack['headers'], target?: string][] = [
    ['a page of another site', 'its visitor may be signed in here', crossSite],
    ['a page of a subdomain', 'it may be in other hands', { 'sec-fetch-site': 'same-site' }],
    ['a request without an origin', 'nothing says that it is from a page of here', bare],
    ['a sandboxed frame', 'it hides its origin', { ...bare, origin: 'null' }],
    [
      'an origin that looks like the own one',
      'whole hosts count',
      { ...bare, origin: 'http://127.0.0.1.evil.example.com' },
    ],
    [
      'two origins',
      'what is not one origin is none',
      { ...bare, origin: 'https://evil.example.com, http://127.0.0.1' },
    ],
    ['a cancel from another site', 'the same', crossSite, `DELETE ${BASE}/jobs/${ownJob}`],
    ['a poll from another site', 'results are not for other sites', crossSite, `GET ${BASE}/jobs/${ownJob}`],
  ]
  const preflight = { origin: 'https://evil.example.com', 'access-control-request-method': 'POST' }
  return [
    ...rows.map(([name, why, headers, target]) => {
      const attack = { name, why, headers, status: 403 }
      return target === undefined ? onRun(attack) : { ...attack, target }
    }),
    {
      name: 'a preflight of another origin',
      why: 'without `allowedOrigins` there is no CORS',
      ...{ target: RUN.replace('POST', 'OPTIONS'), headers: preflight, status: 405 },
    },
  ]
}

const SESSIONS: readonly [name: string, why: string, authorization: string | undefined][] = [
  ['a visitor without a session', 'the proxy is closed', undefined],
  ['a session that is not known', 'the same', 'Session guessed'],
  ['a key of the service as the session', 'the page has no key, and brings none in', 'sk_live_0123456789'],
]

const BODIES: Row[] = [
  ['a webhook', 'results would go to any address', '{"input":{},"webhook_url":"https://evil.example.com"}'],
  ['a target in the body', 'unknown members are rejected', '{"input":{},"url":"http://169.254.169.254/"}'],
  ['two bodies in one', 'what is not one JSON text is not read', `${BODY}${BODY}`],
  ['a prototype', 'code that merges inputs would change all objects', '{"input":{"__proto__":{"admin":true}}}'],
  ['a hundred thousand levels', 'no stack holds them', `{"input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
]

function attacksByForm(): Attack[] {
  const form = 'application/x-www-form-urlencoded'
  const large = JSON.stringify({ input: { prompt: 'x'.repeat(2_000_000) } })
  const zipped = { body: gzipSync('x'.repeat(1_000_000)), headers: { 'content-encoding': 'gzip' } }
  return [
    onRun({ name: 'two megabytes', why: 'memory', body: large, status: 413 }),
    onRun({ name: 'a small body that unpacks to a huge one', why: 'memory', ...zipped, status: 400 }),
    ...['text/plain', form].map((type) =>
      onRun({
        name: `the type ${type}`,
        why: 'forms of other sites send it',
        headers: { 'content-type': type },
        status: 415,
      }),
    ),
  ]
}

function attacksOnMethods(ownJob: string): Attack[] {
  const job = `${BASE}/jobs/${ownJob}`
  const override = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' }
  const queries: Row[] = [
    ['another method in the query', 'this path has no query', `GET ${job}?_method=DELETE`],
    ['a parameter twice', 'parameters of section 4.1, each once', `GET ${BASE}/models?limit=1&limit=100`],
    ['a parameter that is not known', 'the same', `GET ${BASE}/models?api_key=x`],
  ]
  const why = 'it is not one of the routes; TRACE would echo cookies'
  return [
    {
      name: 'a method in a header',
      why: 'that of the request counts',
      target: `POST ${job}`,
      headers: override,
      status: 405,
    },
    ...queries.map(([name, reason, target]) => ({ name, why: reason, target, status: 400 })),
    ...['HEAD', 'TRACE', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND'].map((method) => ({
      ...{ name: `the method ${method}`, why, target: `${method} ${job}`, status: 405 },
    })),
  ]
}
