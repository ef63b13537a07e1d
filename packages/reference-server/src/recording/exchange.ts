import {
  errorBodySchema,
  JOB_STATUSES,
  modelSchema,
  modelSummarySchema,
  type Output,
  outputSchema,
  ROUTES,
  type RouteName,
} from '@modelrun/contract'
import { createRedactor, isRecord, NewestMap } from '@modelrun/kit'
import * as z from 'zod/mini'
import { OWN_FILE } from '../domain/scripted-outcome.ts'
import { decodeSegment } from '../wire/router.ts'

const ROUTE_NAMES = Object.keys(ROUTES) as [RouteName, ...RouteName[]] // the keys of a constant
const STATES = [...JOB_STATUSES, 'completed'] as const

const output: z.ZodMiniType<Output> = outputSchema

const shownModelSchema = /* @__PURE__ */ (() =>
  z.object({
    ...modelSummarySchema.shape,
    pricing: z.object({ credits_per_run: z.int().check(z.nonnegative()) }),
    input_schema: z.optional(modelSchema.shape.input_schema),
  }))()

/** What is stored of a request and its response: forms and numbers that the specification names, and no text but that of models. */
export const exchangeSchema = /* @__PURE__ */ (() =>
  z.strictObject({
    /** When the request was sent, in milliseconds since 1970. */
    at: z.number(),
    /** Milliseconds until the response had come. */
    ms: z.number().check(z.nonnegative()),
    route: z.enum(ROUTE_NAMES),
    status: z.int(),
    /** Those of a list or of details. */
    models: z.optional(z.array(shownModelSchema)),
    /** The model that was run. */
    model: z.optional(z.string()),
    /** The job, by the number of its run. */
    job: z.optional(z.string()),
    state: z.optional(z.enum(STATES)),
    credits: z.optional(z.int().check(z.nonnegative())),
    /** Of the error of a job. */
    code: z.optional(z.string()),
    output: z.optional(output),
  }))()

export type RecordedExchange = z.output<typeof exchangeSchema>

/** A request with its response, as both passed the recorder; `json` is the body of the response, if it is JSON. */
export type SeenExchange = Pick<RecordedExchange, 'at' | 'ms' | 'status'> & {
  method: string
  path: string
  json: unknown
}

/** Reduces exchanges to what may be stored. The newest ten thousand jobs are known. */
export class Recorder {
  readonly #jobs = new NewestMap<unknown, string>(10_000)
  #count = 0

  /** @returns `undefined` for a request that the specification does not have */
  record({ method, path, status, json, at, ms }: SeenExchange): RecordedExchange | undefined {
    const [route, id] = routeOf(method, path)
    if (route === undefined) return undefined
    this.#count++
    const body = isRecord(json) ? json : {}
    const shown = { at, ms, route, status }
    switch (route) {
      case 'listModels':
        return { ...shown, models: [body.models].flat().flatMap(shownModel) }
      case 'getModel':
        return { ...shown, models: shownModel(json) }
      case 'runModel':
        return { ...shown, ...this.#shownRun(body, id) }
      case 'getJob':
        return { ...shown, job: this.#jobs.get(id), ...shownJob(isRecord(body.data) ? body.data : {}) }
      case 'cancelJob':
        return { ...shown, job: this.#jobs.get(id), state: status < 300 ? 'cancelled' : undefined }
    }
  }

  #shownRun(body: Readonly<Record<string, unknown>>, model: string): Partial<RecordedExchange> {
    const hasFailed = codeOf(body) === 'PROVIDER_FAILURE'
    if (body.job_id === undefined && !hasFailed) return {}
    const job = `job_${this.#count}`
    if (body.job_id !== undefined) this.#jobs.set(body.job_id, job)
    return { model, job, ...shownJob(hasFailed ? { ...body, status: 'failed' } : body) }
  }
}

function routeOf(method: string, path: string): [route: RouteName | undefined, id: string] {
  for (const name of ROUTE_NAMES) {
    // The id of a model may have a slash that stands in the path as it is.
    const pattern = new RegExp(`^${ROUTES[name].path.replace(/\{\w+\}/, '(.+)')}$`)
    const found = ROUTES[name].method === method ? pattern.exec(path) : null
    if (found !== null) return [name, decodeSegment(found[1] ?? '')]
  }
  return [undefined, '']
}

const redactor = createRedactor()

/** A model without members that section 2.1 does not name. None when it is not one. */
function shownModel(model: unknown): z.output<typeof shownModelSchema>[] {
  const checked = z.safeParse(shownModelSchema, redactor.value(model))
  return checked.success ? [checked.data] : []
}

function shownJob({ status, credits_used, ...job }: Readonly<Record<string, unknown>>): Partial<RecordedExchange> {
  return {
    state: STATES.find((state) => state === status),
    credits: Number.isSafeInteger(credits_used) ? Math.max(0, Number(credits_used)) : undefined,
    code: codeOf(job),
    output: shownOutput(job.output),
  }
}

/** The code of an error, where it is one: a text could be of the user. */
function codeOf(body: unknown): string | undefined {
  const checked = z.safeParse(errorBodySchema, body)
  const code = checked.success ? String(checked.data.error.code) : ''
  return /^[A-Z]+(_[A-Z]+)*$/.test(code) && code.length <= 40 ? code : undefined
}

/** A kind, where it is a word: a text could be of the user. */
const wordOf = (type: unknown) => (typeof type === 'string' && /^[a-z][\w-]{0,39}$/i.test(type) ? type : 'image')

const seenOutputSchema = /* @__PURE__ */ (() => z.looseObject({ items: z.array(z.looseObject({})) }))()

/** The kinds of an output, of a hundred items at most. Its files are those of the reference server, and a text for an item without. */
function shownOutput(value: unknown): Output | undefined {
  const checked = z.safeParse(seenOutputSchema, value)
  if (!checked.success) return undefined
  const items = checked.data.items.slice(0, 100).map(({ type, url }) => {
    return { type: wordOf(type), url: url === undefined ? `${OWN_FILE}data:text/plain,text` : OWN_FILE }
  })
  return { type: wordOf(checked.data.type), items }
}
