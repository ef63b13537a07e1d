import { type Attack, run } from './attack.ts'
import { attacksOnBodies, attacksOnMethods, attacksOnOrigins } from './attacks-on-requests.ts'

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

/** Every attack. A session of the attacker and the headers of a page of the own origin are there unless the attack has others. */
export function attackList({ othersJob, rawJob, foreignJob, ownJob, hiddenModel }: Loot): Attack[] {
  return [
    ...attacksOnJobs({ othersJob, rawJob, foreignJob, ownJob }),
    ...attacksOnPaths(ownJob),
    ...attacksOnModels(hiddenModel),
    ...attacksOnOrigins(ownJob),
    ...attacksOnBodies(),
    ...attacksOnMethods(ownJob),
  ]
}

function attacksOnJobs({ othersJob, rawJob, foreignJob, ownJob }: Omit<Loot, 'hiddenModel'>): Attack[] {
  const mixed = [...othersJob.split('~').slice(0, 3), ownJob.split('~')[3]].join('~')
  const job = (id: string, attack: Omit<Attack, 'target' | 'status'>, method = 'GET'): Attack => {
    return { target: `${method} /api/modelrun/v1/jobs/${id}`, status: 404, ...attack }
  }
  return [
    job(othersJob, { name: 'the job of another user', why: 'the id is signed for its user: results are private' }),
    job(othersJob, { name: "a cancel of another user's job", why: 'the same; it would lose what was paid' }, 'DELETE'),
    job(rawJob, {
      name: 'the id that the service has',
      why: 'only signed ids are ids: those of the service may leak in urls of files',
    }),
    job(rawJob, { name: 'a cancel by the id that the service has', why: 'the same' }, 'DELETE'),
    job(foreignJob, {
      name: 'an id of another secret',
      why: 'an id of a staging system, or a forged one, is not signed here',
    }),
    job(mixed, { name: "another user's job with an own signature", why: 'the signature covers the job' }),
    job(othersJob.slice(0, -4), { name: 'a shortened signature', why: 'a signature has one length' }),
    job(ownJob.replace('~1~', '~2~'), {
      name: 'an own job with another key id',
      why: 'the signature covers the id of the key',
    }),
  ]
}

function attacksOnPaths(ownJob: string): Attack[] {
  const path = (target: string, attack: Omit<Attack, 'target' | 'status'>): Attack => ({
    target,
    status: 404,
    ...attack,
  })
  return [
    path('GET /api/modelrun/v1/jobs/..%2fmodels', {
      name: 'an encoded step up',
      why: 'an id is one segment, and is never decoded into a path',
    }),
    path('GET /api/modelrun/v1/jobs/%2e%2e/%2e%2e/%2e%2e/%2e%2e/_reference/keys', {
      name: 'encoded dots',
      why: 'what is left of the path is not below the proxy',
    }),
    path(`GET /api/modelrun/v1/jobs/${ownJob}%2f..%2f..%2fkeys`, {
      name: 'a step up behind a right id',
      why: 'the whole segment must be an id',
    }),
    path('GET /api/modelrun/../../_reference/keys', {
      name: 'dots',
      why: 'the path is resolved before it is compared',
    }),
    path('GET //evil.example.com/api/modelrun/v1/models', {
      name: 'two slashes',
      why: 'the path is never read as a host',
    }),
    path('GET /api/modelrun//v1/models', { name: 'an empty segment', why: 'paths are compared, not interpreted' }),
    path('GET /api/modelrun/v1/keys', {
      name: 'another route of the service',
      why: 'the proxy has the five routes of models and jobs alone',
    }),
    path('POST /api/modelrun/v1/webhooks', {
      name: 'a route that the service may have some day',
      why: 'routes are a list, not what is left when others are taken away',
    }),
    path('GET /api/modelrun/_reference/keys', { name: 'the control routes of a reference server', why: 'the same' }),
    path('GET /api/modelrun/v1/jobs', { name: 'a list of all jobs', why: 'the same' }),
    path('GET /v1/models', { name: 'a path beside the proxy', why: 'only what is below `basePath` is served' }),
  ]
}

function attacksOnModels(hiddenModel: string): Attack[] {
  const model = (id: string, name: string, why: string): Attack[] => [
    { ...run({ name: `a run of ${name}`, why, status: 404 }), target: `POST /api/modelrun/v1/models/${id}/run` },
    { name: `the details of ${name}`, why, status: 404, target: `GET /api/modelrun/v1/models/${id}` },
  ]
  return [
    ...model(encodeURIComponent(hiddenModel), 'a model that is not in the list', 'the list says what may be spent on'),
    ...model('Aurora-Image', 'a model in other letters', 'ids are compared exactly: a service may fold them'),
    ...model('aurora-image%20', 'a model with a space', 'the same: a service may trim them'),
    ...model('aurora-image%00', 'a model with a null byte', 'the same: a service may cut them'),
    ...model('lumen%252Faurora-video', 'a model that is encoded twice', 'a path is decoded once'),
    ...model(
      `aurora-image%2f..%2f${encodeURIComponent(hiddenModel)}`,
      'a step from one model to another',
      'the whole id is looked up',
    ),
    ...model('%E0%A4%A', 'a model that is not text', 'what cannot be decoded is not an id'),
  ]
}
