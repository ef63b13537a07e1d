import { describe, expect, it } from 'vitest'
import { responseOf } from '../../test/response-of.ts'
import { Account } from '../domain/account.ts'
import { DEFAULT_CATALOG } from '../domain/catalog.ts'
import type { Job, JobEnd } from '../domain/job.ts'
import { Jobs } from '../domain/jobs.ts'
import { createApp } from '../http/app.ts'
import { createHandle } from '../http/handle.ts'
import { resolveOptions } from '../service/options.ts'
import { Service } from '../service/service.ts'
import { Audit } from './audit.ts'

const model = DEFAULT_CATALOG.find(({ id }) => id === 'aurora-image')
if (model === undefined) throw new Error('The catalog lacks aurora-image.')
const PRICE = model.pricing.credits_per_run

function setUp() {
  const audit = new Audit()
  const account = new Account(100, 'sk_test_ab12…')
  const jobs = new Jobs(
    () => 0,
    (job, end) => audit.ended(job, end),
  )
  let count = 0
  const create = (): Job => {
    account.credits.reserve(PRICE)
    const plan = { processingAt: 0, provider: { endsAt: undefined, afterReads: 0, status: 'succeeded' } } as const
    const fields = {
      id: `job_${++count}`,
      requestId: 'req_1',
      account,
      model,
      input: {},
      seed: 1,
      createdAt: 0,
    } as const
    // The catalog has the model: see above.
    const job = jobs.create({ ...fields, model: fields.model as NonNullable<typeof model>, plan, webhook: undefined })
    audit.created(job)
    return job
  }
  const messages = () => audit.check().map(({ message }) => message)
  return { audit, account, jobs, create, messages }
}

describe('audit', () => {
  it('finds nothing wrong with runs that succeed, fail and are cancelled', () => {
    const { jobs, create, messages } = setUp()
    for (const status of ['succeeded', 'failed', 'cancelled'] as const) jobs.end(create(), { status })
    create()
    expect(messages()).toEqual([])
  })

  it('finds a cancelled job that was charged', () => {
    const { audit, account, create, messages } = setUp()
    const job = create()
    account.credits.charge(PRICE)
    audit.ended(job, { status: 'cancelled', at: 0 })
    expect(messages()).toEqual([
      'job_1 ended cancelled, which charges 0 credits, yet in an account 4 credits are charged and not 0.',
    ])
    expect(messages()).toEqual([])
  })

  it('finds a job that was charged twice', () => {
    const { audit, account, create, messages } = setUp()
    const [job] = [create(), create()]
    const end: JobEnd = { status: 'succeeded', at: 0 }
    account.credits.charge(PRICE)
    audit.ended(job, end)
    account.credits.charge(PRICE)
    audit.ended(job, end)
    expect(messages()).toEqual(['job_1 ended once more, as succeeded.'])
  })

  it('finds credits that no job moved, and a job that was not reserved for', () => {
    const { account, create, messages } = setUp()
    create()
    account.credits.release(1)
    expect(messages()).toEqual([
      'no job was created and none ended, yet in an account 3 credits are reserved and not 4.',
    ])
    account.credits.release(PRICE)
    create()
    expect(messages().join()).toContain('job_2 was created, which reserves 4 credits and charges none, yet')
  })

  it('starts again after a reset', () => {
    const { audit, account, create, messages } = setUp()
    create()
    account.credits.release(PRICE)
    audit.forget(account)
    account.credits.reset()
    create()
    expect(messages()).toEqual([])
  })
})

describe('strict mode', () => {
  function serve(strict: boolean) {
    const service = new Service(resolveOptions({ clock: 'manual', strict }))
    const handle = createHandle(service, createApp(service, 'token'))
    const headers = { authorization: `Bearer ${service.firstKey.key}`, 'content-type': 'application/json' }
    const ask = async (path: string, body?: object) => {
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      const handled = await handle(new Request(`${service.baseUrl}${path}`, init), { transport: 'fetch' })
      const response = responseOf(handled)
      return { status: response.status, body: await response.json() }
    }
    return { service, ask }
  }

  it('responds with 500 and the story of the job when the credits are wrong', async () => {
    const { service, ask } = serve(true)
    const run = await ask('/v1/models/aurora-image/run', { input: { prompt: 'a' }, sync: false })
    const { job_id } = run.body
    const job = service.jobs.find(job_id)
    service.firstKey.account.credits.charge(1) // what a defect of the server would do
    if (job !== undefined) service.jobs.end(job, { status: 'cancelled' })
    const broken = await ask(`/v1/jobs/${job_id}`)
    expect(broken).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } })
    expect(broken.body.error.message).toContain(
      `broke a rule of the service: ${job_id} ended cancelled, which charges 0`,
    )
    expect(broken.body.error.message).toContain('job queued -> cancelled: 4 credits given back')
    expect((await ask(`/v1/jobs/${job_id}`)).status).toBe(200)
    expect(service.observer.violationsOf()).toEqual([broken.body.error.message])
  })

  it('is off unless asked for', async () => {
    const { service, ask } = serve(false)
    await ask('/v1/models/aurora-image/run', { input: { prompt: 'a' }, sync: false })
    service.firstKey.account.credits.charge(1)
    expect((await ask('/v1/models')).status).toBe(200)
  })
})
