import { ROUTES, routePath } from '@modelrun/contract'
import type { ApiResponse } from '../http/api-response.ts'
import type { Call } from '../http/caller.ts'
import { at, show } from '../json.ts'
import { CannotStartError, type ModelChoice, type ResolvedOptions } from '../options.ts'
import { sampleInput } from './sample-input.ts'
import { listAll, type Read } from './whole-list.ts'

/** The model of a run. `longest`: the slow model, else the main model. */
export type RunKind = 'main' | 'slow' | 'failing' | 'longest'

/** A model that the suite runs. */
export interface ModelTarget {
  modelId: string
  input: Record<string, unknown>
  creditsPerRun: number
  inputSchema: unknown
}

/** The models that the suite runs. */
export interface Targets {
  main?: ModelTarget | undefined
  slow?: ModelTarget | undefined
  failing?: ModelTarget | undefined
  /** The cheapest model of each other category whose input can be made up. */
  others?: readonly ModelTarget[] | undefined
}

/** All of them. */
export function targetsOf({ main, slow, failing, others = [] }: Targets): ModelTarget[] {
  return [main, slow, failing, ...others].filter((target) => target !== undefined)
}

/** Number of cheapest models that are tried for an input made from the schema. */
const MAX_CANDIDATES = 20

/** @throws CannotStartError when a model is not there, or has no price or no input that could be made up */
export async function chooseTargets(
  options: ResolvedOptions,
  send: (call: Call) => Promise<ApiResponse>,
): Promise<Targets> {
  const { main, slow, failing } = options.models
  const read: Read = (path) => send({ method: 'GET', path, authorization: `Bearer ${options.apiKey}` })
  const targets = {
    main: main === undefined ? await cheapest(read) : await chosen(read, main, '--input'),
    slow: slow && (await chosen(read, slow, '--slow-input')),
    failing: failing && (await chosen(read, failing, '--failing-input')),
  }
  if (options.crossingCredits === 0) return targets
  const known = Object.values(targets).map((target) => target?.modelId)
  return { ...targets, others: await othersOf(read, known, options.crossingCredits) }
}

/** One model of each category, without the models that are known. */
async function othersOf(
  read: Read,
  known: readonly (string | undefined)[],
  mostCredits: number,
): Promise<ModelTarget[]> {
  const models = byPrice((await listAll(read)).models).filter((model) => Number(priceOf(model)) <= mostCredits)
  const seen = new Set(
    models.filter((model) => known.includes(String(at(model, '/id')))).map((model) => at(model, '/category')),
  )
  const others: ModelTarget[] = []
  for (const model of models) {
    const [id, category] = [String(at(model, '/id')), at(model, '/category')]
    if (seen.has(category)) continue
    seen.add(category)
    const target = targetOf(await read(routePath(ROUTES.getModel, { id })), id)
    if (typeof target !== 'string') others.push(target)
  }
  return others
}

/** The active models with a price, the cheapest first. */
function byPrice(models: readonly unknown[]): unknown[] {
  return models
    .filter((model) => at(model, '/status') === 'active' && Number.isInteger(priceOf(model)))
    .toSorted((one, other) => Number(priceOf(one)) - Number(priceOf(other)))
}

/** @param option of the command line that gives the model's input */
async function chosen(read: Read, { model, input }: ModelChoice, option: string): Promise<ModelTarget> {
  const response = await read(routePath(ROUTES.getModel, { id: model }))
  if (response.status !== 200) {
    throw new CannotStartError(
      `The model ${model} cannot be read: GET /v1/models/{id} responds with ${response.status}.`,
    )
  }
  const target = targetOf(response, model, input)
  if (typeof target === 'string') throw new CannotStartError(target.replace(/Give one\.$/, `Give one (${option}).`))
  return target
}

async function cheapest(read: Read): Promise<ModelTarget> {
  const candidates = byPrice((await listAll(read)).models)
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    const id = String(at(candidate, '/id'))
    const response = await read(routePath(ROUTES.getModel, { id }))
    const target = targetOf(response, id)
    if (typeof target !== 'string') return target
  }
  throw new CannotStartError('No model has a price and an input that can be made up. Choose a model and its input.')
}

function targetOf(response: ApiResponse, modelId: string, input?: Record<string, unknown>): ModelTarget | string {
  const inputSchema = at(response.json, '/input_schema')
  const creditsPerRun = priceOf(response.json)
  if (typeof creditsPerRun !== 'number' || !(creditsPerRun >= 0)) {
    return `The model ${modelId} has no price: /pricing/credits_per_run is ${show(creditsPerRun)}.`
  }
  const sample = input ?? sampleInput(inputSchema)
  if (sample === undefined) return `No input can be made up for the model ${modelId}. Give one.`
  return { modelId, input: sample, creditsPerRun, inputSchema }
}

function priceOf(model: unknown): unknown {
  return at(model, '/pricing/credits_per_run')
}
