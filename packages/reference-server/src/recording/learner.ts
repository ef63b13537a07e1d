import { LIMITS, type RejectionKind } from '@modelrun/contract'
import { type Exchange, errorIn, membersOf, type Target, targetOf } from './exchange.ts'
import type { Recording } from './findings.ts'
import { Findings } from './findings.ts'
import { checkOf, mistakesIn } from './mistakes.ts'
import { SeenJobs } from './seen-jobs.ts'
import { SeenModels } from './seen-models.ts'

/** A code that says that an account has too few credits. The specification names none. */
const NO_CREDITS = /credit|balance|quota|fund|payment/i

/** Makes a recording from exchanges, in the order in which their responses came. */
export class Learner {
  readonly #service: string
  readonly #models: SeenModels
  readonly #findings: Findings
  readonly #jobs: SeenJobs
  #exchanges: number

  constructor({ service, catalog, profile, notReplayed, exchanges }: Recording) {
    this.#service = service
    this.#models = new SeenModels(catalog)
    this.#findings = new Findings(profile, notReplayed)
    this.#jobs = new SeenJobs(this.#models, this.#findings)
    this.#exchanges = exchanges
  }

  recording(): Recording {
    const { profile, notReplayed } = this.#findings
    const catalog = this.#models.all()
    return { service: this.#service, exchanges: this.#exchanges, catalog, profile, notReplayed: [...notReplayed] }
  }

  async learn(exchange: Exchange): Promise<void> {
    const { status } = exchange
    this.#exchanges++
    if (exchange.hasRequestId) this.#findings.set({ requestIdHeader: 'sent' })
    else this.#findings.set({ requestIdHeader: this.#findings.profile.requestIdHeader ?? 'none' })
    const target = targetOf(exchange)
    if (target?.route === 'runModel') return this.#run(exchange, target)
    if (isOfKeyOrMoment(exchange)) return this.#ofKeyOrMoment(exchange)
    if (target === undefined) return status >= 400 ? this.#findings.rejected('unknownPath', exchange) : undefined
    if (target.route === 'cancelJob') return this.#jobs.cancelled(exchange, target.id)
    if (target.route === 'getJob') {
      return status < 300 ? this.#jobs.read(exchange, target.id) : this.#findings.rejected('unknownJob', exchange)
    }
    return this.#readModels(exchange, target)
  }

  async #readModels(exchange: Exchange, target: Target): Promise<void> {
    const { status, json } = exchange
    const isServed = status < 300
    if (target.hasPlainSlash && !isServed && this.#models.has(target.id)) {
      this.#findings.set({ plainSlashInPath: 'unknown' })
      return this.#findings.rejected('unknownPath', exchange)
    }
    if (target.hasPlainSlash && isServed) this.#findings.set({ plainSlashInPath: 'served' })
    const mistakes = await mistakesIn(exchange, this.#models.all())
    if (!isServed) return this.#rejected(exchange, mistakes)
    for (const kind of mistakes) this.#findings.accepted(kind, howRead(kind, exchange))
    if (mistakes.includes('unknownCategory')) {
      return this.#findings.set({ unknownCategory: membersOf(json).total === 0 ? 'empty' : 'all' })
    }
    const shown = target.route === 'getModel' ? [json] : [membersOf(json).models].flat()
    for (const model of shown) {
      const problem = this.#models.add(model)
      if (problem !== undefined) this.#findings.note(exchange, problem)
    }
  }

  async #run(exchange: Exchange, { id }: Target): Promise<void> {
    const { status, json } = exchange
    const code = errorIn(json)?.code
    const { job_id } = membersOf(json)
    const isMade = job_id !== undefined || code === 'PROVIDER_FAILURE'
    const mistakes = await mistakesIn(exchange, this.#models.all())
    const others = mistakes.flatMap((kind) => checkOf(kind) ?? [])
    if (status >= 400 && NO_CREDITS.test(code ?? '')) {
      this.#findings.comesFirst('credits', others)
      return this.#findings.rejected('insufficientCredits', exchange)
    }
    if (!isMade && isOfKeyOrMoment(exchange)) {
      if (status === 403) this.#findings.comesFirst('models:run', others)
      return this.#ofKeyOrMoment(exchange)
    }
    if (!isMade) return status >= 400 ? this.#rejected(exchange, mistakes) : undefined
    for (const kind of mistakes) this.#findings.accepted(kind, howRead(kind, exchange))
    this.#jobs.ran(exchange, id, mistakes)
  }

  /** Which of several mistakes a request was rejected for is known where each was seen alone. */
  #rejected(exchange: Exchange, mistakes: readonly RejectionKind[]): void {
    const [mistake] = mistakes
    const reported = mistakes.length > 1 ? this.#findings.reported(mistakes, exchange) : undefined
    const check = reported && checkOf(reported)
    if (check !== undefined)
      this.#findings.comesFirst(
        check,
        mistakes.flatMap((kind) => checkOf(kind) ?? []),
      )
    if (mistake === undefined) this.#findings.note(exchange, 'rejected, and nothing that was seen before says why')
    if (mistake === undefined || mistakes.length > 1) return
    if (mistake === 'unknownCategory') this.#findings.set({ unknownCategory: 'reject' })
    this.#findings.rejected(mistake, exchange)
  }

  /** The specification has 401 and 403 (section 5). */
  #ofKeyOrMoment(exchange: Exchange): void {
    const { status, json } = exchange
    if (status < 429) this.#findings.held(status === 401 ? 'unauthorized' : 'forbidden', json)
    if (status >= 429)
      this.#findings.note(exchange, 'a fault, such as --fault unavailable or rate-limit, does the same')
  }
}

/** How a mistake that was accepted was read, in the words of `rejections`. */
function howRead(kind: RejectionKind, { query, json }: Exchange): string {
  if (kind.startsWith('sync')) return membersOf(json).status === 'queued' ? 'async' : 'accepted'
  if (kind === 'categoryEmpty') return membersOf(json).total === 0 ? 'accepted' : 'default'
  if (/^webhook(Null|Empty|Number|Scheme)$|^malformedWebhookUrl$/.test(kind))
    return membersOf(json).status === 'completed' ? 'default' : 'accepted'
  if (!/^(limit|offset|page)/.test(kind)) return 'accepted'
  const isOffset = kind.startsWith('offset') || (kind.startsWith('page') && /offset=(&|$|[^&]*[^\d&-])/.test(query))
  const [name, initial] = isOffset ? ['offset', 0] : ['limit', LIMITS.modelsPageDefault]
  const applied = membersOf(json)[name]
  if (applied === initial) return 'default'
  return String(applied) === new URLSearchParams(query).get(name) ? 'asked' : 'accepted'
}

/** Whether the key or the moment decided, and not what the request asks for. */
function isOfKeyOrMoment({ status, json }: Exchange): boolean {
  const isOfKey = status === 401 || (status === 403 && errorIn(json)?.code === 'FORBIDDEN')
  return isOfKey || status === 429 || status >= 500
}
