import { sleep } from '@modelrun/kit'
import type { ConformanceClock } from '../../packages/conformance/src/clock.ts'
import { type LegalModel, legalCatalog } from './legal-catalog.ts'
import { type LegalChoices, legalChoices } from './legal-choices.ts'
import { type Deliver, deliverResult } from './legal-delivery.ts'
import { jobView, type LegalJob, outputOf, statusOf } from './legal-job.ts'
import { LegalJobs } from './legal-jobs.ts'
import { keyOf, type LegalKey } from './legal-keys.ts'
import { legalList } from './legal-list.ts'
import { dressed, type Reply, rejection, reply } from './legal-responses.ts'
import { endedReply, processingReply, queuedReply, type RunOrder, readOrder } from './legal-run.ts'
import { RateLimit } from './rate-limit.ts'

const HOLD_MS = 55_000
const FAILS_EACH = { never: Number.POSITIVE_INFINITY, seventh: 7, third: 3, always: 1 } as const
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' }
const NO_SUCH_PATH = { status: 404, code: 'NO_SUCH_PATH' }

export interface LegalServiceOptions {
  choices?: Partial<LegalChoices>
  clock: ConformanceClock
  /** Where the service can be reached. */
  origin?: string
  deliver?: Deliver
}

/**
 * A service made from the specification alone. It shares no code with the reference server, so that both can be held
 * against each other. Where the specification is silent, it does what its choices say.
 */
export class LegalService {
  readonly choices: LegalChoices
  readonly models: readonly LegalModel[]
  origin: string
  deliver: Deliver
  readonly #clock: ConformanceClock
  readonly #jobs: LegalJobs
  readonly #rateLimit: RateLimit
  #requests = 0
  #started = 0

  constructor({ choices, clock, origin = 'https://legal.test', deliver = fetch }: LegalServiceOptions) {
    this.choices = legalChoices(choices)
    this.models = legalCatalog(this.choices)
    this.origin = origin
    this.deliver = deliver
    this.#clock = clock
    this.#jobs = new LegalJobs(this.choices, clock.now)
    this.#rateLimit = new RateLimit(this.choices.rateLimit)
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => this.handle(new Request(url, init))

  credits(account = 'main'): number {
    return this.#jobs.credits(account)
  }

  async handle(request: Request): Promise<Response> {
    const requestId = `request-id-${++this.#requests}`
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/files/')) return this.#file(decodeURIComponent(pathname.split('/')[2] ?? ''))
    const early = this.#rateLimit.check(this.#clock.now()) ?? this.#failure(request)
    return dressed(early ?? (await this.#response(request)), this.choices, requestId)
  }

  #failure({ method }: Request): Reply | undefined {
    const isServed = this.choices.readsFail === 'never' || method !== 'GET' || this.#requests % 50 !== 0
    return isServed ? undefined : rejection({ status: 500, code: 'INTERNAL' })
  }

  #file(jobId: string): Response {
    const { endsAt = 0 } = this.#jobs.find(jobId, 'main') ?? {}
    if (this.#clock.now() > endsAt + this.choices.filesLastMs) return new Response(null, { status: 410 })
    if (this.choices.fileAccess === 'public') return new Response('an image')
    return new Response(null, { status: 401 })
  }

  async #response(request: Request): Promise<Reply> {
    const key = keyOf(request.headers.get('authorization'))
    if (key === undefined) return rejection({ status: 401, code: 'UNAUTHORIZED' })
    const { pathname, searchParams } = new URL(request.url)
    const [, , resource, id, verb] = pathname.split('/').map((segment) => decodeURIComponent(segment))
    const known = `${request.method} ${resource}${id === undefined ? '' : '/id'}${verb === undefined ? '' : `/${verb}`}`
    switch (known) {
      case 'GET models':
        return allowed(key, 'models:read') ?? listReply(legalList(this.models, searchParams, this.choices))
      case 'GET models/id':
        return allowed(key, 'models:read') ?? this.#details(id)
      case 'POST models/id/run':
        return this.#run(request, key, id)
      case 'GET jobs/id':
        return allowed(key, 'jobs:read') ?? this.#job(this.#jobs.find(id ?? '', key.account))
      case 'DELETE jobs/id':
        return allowed(key, 'jobs:write') ?? this.#jobs.cancel(this.#jobs.find(id ?? '', key.account))
      default:
        return rejection(NO_SUCH_PATH)
    }
  }

  #find(id: string | undefined): LegalModel | undefined {
    return this.models.find(({ shown }) => shown.id === id)
  }

  #details(id: string | undefined): Reply {
    const model = this.#find(id)
    return model === undefined
      ? rejection(this.choices.unknownModel)
      : reply(200, { ...model.shown, input_schema: model.schema })
  }

  #job(job: LegalJob | undefined): Reply {
    if (job === undefined) return rejection(this.choices.unknownJob)
    const now = this.#clock.now()
    const isOver = /^(succeeded|failed|cancelled)$/.test(statusOf(job, now))
    const data = jobView(job, this.choices, { now, output: this.#output(job) })
    return reply(isOver ? 200 : this.choices.unfinishedStatus, { data })
  }

  async #run(request: Request, key: LegalKey, id: string | undefined): Promise<Reply> {
    const { choices } = this
    const lacking = allowed(key, 'models:run')
    if (lacking !== undefined && choices.foundFirst === 'key') return lacking
    if (choices.runNeedsModelsRead && !key.permissions.includes('models:read')) return rejection(FORBIDDEN)
    if (choices.runNeedsJobsWrite && !key.permissions.includes('jobs:write')) return rejection(FORBIDDEN)
    const model = this.#find(id)
    const order = readOrder(await request.json(), model, choices)
    if ('code' in order) return rejection(order)
    if (lacking !== undefined) return lacking
    if (model === undefined) return rejection(choices.unknownModelRun)
    const mayHook = !choices.webhookNeedsManage || key.permissions.includes('webhooks:manage')
    if (order.webhookUrl !== undefined && !mayHook) return rejection(FORBIDDEN)
    if (this.credits(key.account) < model.credits) return rejection(choices.noCredits)
    return this.#start(order, { account: key.account, model })
  }

  #start(
    { sync, webhookUrl, failsLater }: RunOrder,
    run: { account: string; model: LegalModel },
  ): Reply | Promise<Reply> {
    const { choices } = this
    const isQueued = !sync && (webhookUrl === undefined || choices.asyncWithWebhook === 'queued')
    const queuedMs = isQueued ? choices.queuedMs : 0
    const failsNow = ++this.#started % FAILS_EACH[choices.providerFails] === 0
    const fails = run.model.fails || failsLater || failsNow
    const job = this.#jobs.create({ ...run, fails, queuedMs, webhookUrl })
    if (webhookUrl !== undefined) void this.#send(job)
    if (isQueued) return queuedReply(job, choices)
    return webhookUrl === undefined ? this.#held(job) : processingReply(job, choices)
  }

  async #held(job: LegalJob): Promise<Reply> {
    const runMs = job.endsAt - job.createdAt
    await sleep(this.#clock, Math.min(HOLD_MS, runMs))
    if (runMs > HOLD_MS) return processingReply(job, this.choices)
    const status = statusOf(job, Math.max(job.endsAt, this.#clock.now()))
    return endedReply(job, this.choices, { status, output: this.#output(job) })
  }

  #send(job: LegalJob): Promise<void> {
    const output = () => this.#output(job)
    return deliverResult(job, { clock: this.#clock, choices: this.choices, deliver: this.deliver, output })
  }

  #output(job: LegalJob): object {
    return outputOf(job, this.choices, { origin: this.origin, nonce: ++this.#requests })
  }
}

function listReply(list: ReturnType<typeof legalList>): Reply {
  return 'code' in list ? rejection(list) : reply(200, list)
}

function allowed({ permissions }: LegalKey, permission: string): Reply | undefined {
  return permissions.includes(permission) ? undefined : rejection(FORBIDDEN)
}
