import type { RunRequest } from '@modelrun/contract'
import type { ApiKey } from '../../domain/api-keys.ts'
import type { CatalogModel } from '../../domain/catalog.ts'
import type { Service } from '../../service/service.ts'
import type { RunOrder } from '../../service/start-run.ts'
import type { KeyContext, RouteResult } from '../app-env.ts'
import { errorResponses, reject } from '../error-responses.ts'
import { findKey } from '../permissions.ts'
import { unknownModel } from './models.ts'
import { checkBody, checkInput, checkUrl, checkWebhook, type Members, readMembers } from './run-request.ts'

/** A run that nothing is wrong with. */
export interface CheckedRun {
  order: RunOrder
}

/**
 * The checks of a run, to be made in any order. Each makes those first that it builds on. Without its model, an input and a
 * price cannot be checked: the check of the model rejects the run then.
 */
export class RunChecks {
  readonly #service: Service
  readonly #context: KeyContext
  readonly #model: CatalogModel | undefined
  readonly #made = new Map<string, Promise<RouteResult | undefined>>()
  #members: Members | undefined
  #apiKey: ApiKey | undefined
  #body: Omit<RunRequest, 'webhook_url'> | undefined
  #url: string | undefined
  #input: Pick<RunOrder, 'input' | 'isRight'> | undefined
  /** As far as it was read. */
  requestBody: string | undefined

  readonly checks = {
    json: () => this.#once('json', () => this.#readJson()),
    body: () => this.#once('body', () => this.#checkBody()),
    webhook: () => this.#once('webhook', () => this.#checkUrl()),
    runModel: () => this.#checkModel(),
    input: () => this.#checkInput(),
    'webhooks:manage': () => this.#checkWebhook(),
    credits: () => this.#checkCredits(),
  }

  constructor(service: Service, context: KeyContext) {
    this.#service = service
    this.#context = context
    this.#model = service.models.get(context.req.param('model'))
  }

  /** Of a run that passed every check. */
  order(): CheckedRun {
    const [model, apiKey, body, input] = [this.#model, this.#apiKey, this.#body, this.#input]
    if (model === undefined || apiKey === undefined || body === undefined || input === undefined)
      throw new Error('The run was not checked.')
    const order = { ...body, webhook_url: this.#url, ...input, account: apiKey.account, model }
    return { order }
  }

  #once(name: string, make: () => Promise<RouteResult | undefined>): Promise<RouteResult | undefined> {
    const made = this.#made.get(name) ?? make()
    this.#made.set(name, made)
    return made
  }

  async #readJson(): Promise<RouteResult | undefined> {
    const { members, requestBody, ...rejected } = await readMembers(this.#service, this.#context.req.raw)
    this.requestBody = requestBody
    if (members === undefined) return rejected.response && { ...rejected, response: rejected.response }
    // It may have been revoked meanwhile.
    const apiKey = findKey(this.#context.req.raw, this.#service)
    if (typeof apiKey === 'string') return { response: errorResponses.unauthorized(apiKey) }
    this.#apiKey = apiKey
    this.#members = members
    return this.#wrongType(members)
  }

  /** A service that reads JSON into types rejects a member of another type like JSON that is broken, before all else. */
  #wrongType(members: Members): RouteResult | undefined {
    const { rejections } = this.#service.options.assumptions
    const isLikeBroken = ({ status, code }: { status: number; code: string | null }) =>
      status === rejections.brokenJson.status && code === rejections.brokenJson.code
    if (isLikeBroken(rejections.invalidBody)) return undefined
    const checked = checkBody(this.#service, members)
    if (!('response' in checked) || checked.rejection === undefined) return undefined
    const own = rejections[checked.rejection]
    return typeof own === 'object' && isLikeBroken(own) ? checked : undefined
  }

  async #checkBody(): Promise<RouteResult | undefined> {
    const rejected = await this.checks.json()
    if (rejected !== undefined || this.#members === undefined) return rejected
    const checked = checkBody(this.#service, this.#members)
    if ('response' in checked) return checked
    this.#body = checked
    return undefined
  }

  async #checkUrl(): Promise<RouteResult | undefined> {
    const rejected = await this.checks.json()
    if (rejected !== undefined || this.#members === undefined) return rejected
    const checked = checkUrl(this.#service, this.#members)
    if ('response' in checked) return checked
    this.#url = checked.url
    return undefined
  }

  #checkModel(): RouteResult | undefined {
    const modelId = this.#context.req.param('model')
    return this.#model === undefined ? unknownModel(this.#service, modelId, 'unknownModelRun') : undefined
  }

  async #checkInput(): Promise<RouteResult | undefined> {
    const rejected = await this.checks.body()
    if (rejected !== undefined || this.#model === undefined || this.#body === undefined) return rejected
    const checked = checkInput(this.#service, this.#model, this.#body.input)
    if ('response' in checked) return checked
    this.#input = checked
    return undefined
  }

  async #checkWebhook(): Promise<RouteResult | undefined> {
    const rejected = await this.checks.webhook()
    if (rejected !== undefined) return rejected
    return checkWebhook(this.#service, this.#context.env.apiKey, this.#url)
  }

  #checkCredits(): RouteResult | undefined {
    const [model, apiKey] = [this.#model, this.#apiKey ?? this.#context.env.apiKey]
    this.#service.jobs.settle() // a job that failed meanwhile gives its credits back first
    if (model === undefined || apiKey.account.credits.available >= model.pricing.credits_per_run) return undefined
    return noCredits(this.#service, { account: apiKey.account, model })
  }
}

export function noCredits(service: Service, { account, model }: Pick<RunOrder, 'account' | 'model'>): RouteResult {
  const message = `A run of ${model.id} costs ${model.pricing.credits_per_run} credits; ${account.credits.available} are left for new runs.`
  return reject(service, 'insufficientCredits', { message })
}
