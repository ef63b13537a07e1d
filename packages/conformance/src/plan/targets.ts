import { LIMITS, ROUTES, routePath } from '@modelrun/contract'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { CannotStartError, type ModelChoice, type ResolvedOptions } from '../options.ts'
import { namesOf } from '../session/keys.ts'
import { type ModelTarget, sampleInput } from './inputs.ts'

/** The model of a run. `longest`: the slow model, else the main model. */
export type RunKind = 'main' | 'slow' | 'failing' | 'longest'

/** The models that the suite runs. */
export interface Targets {
  main?: ModelTarget | undefined
  slow?: ModelTarget | undefined
  failing?: ModelTarget | undefined
  /** The cheapest models of each category whose input can be made up, but the main one. */
  others?: readonly ModelTarget[] | undefined
}

/** All of them. */
export function targetsOf({ main, slow, failing, others = [] }: Targets): ModelTarget[] {
  return [main, slow, failing, ...others].filter((target) => target !== undefined)
}

/** Number of cheapest models that are tried for an input made from the schema. */
const MAX_CANDIDATES = 20

/** No model can be run by what the service shows of it, which may be wrong. */
export class UnfitModelsError extends CannotStartError {}

/**
 * @throws CannotStartError when a model is not there, or no input could be made up for it
 * @throws UnfitModelsError when one is shown without a price or a schema, or none can be run
 */
export async function chooseTargets(options: ResolvedOptions, read: Read): Promise<Targets> {
  const { main, slow, failing } = options.models
  const targets = {
    main:
      main === undefined ? await cheapest(read, [slow?.model, failing?.model]) : await chosen(read, main, '--input'),
    slow: slow && (await chosen(read, slow, '--slow-input')),
    failing: failing && (await chosen(read, failing, '--failing-input')),
  }
  if (options.crossingCredits === 0) return targets
  return { ...targets, others: await othersOf(read, targets, options) }
}

/** Of each category, so that a fault of one model is met. */
const MOST_OF_CATEGORY = 2

/** The cheapest models of each category, besides those that were chosen. Keys that may read models take turns. */
async function othersOf(read: Read, chosen: Targets, options: ResolvedOptions): Promise<ModelTarget[]> {
  const { crossingCredits, depth, keys } = options
  const known = targetsOf(chosen).map(({ modelId }) => modelId)
  const names = [undefined, ...namesOf(options, 'models:read')]
  const others: ModelTarget[] = []
  const tried = new Map([[chosen.main?.category, 1]])
  for (const model of byPrice(await listAll(read))) {
    const [id, category] = [String(at(model, '/id')), at(model, '/category')]
    const count = tried.get(category) ?? 0
    // With a greater depth there are more, which cost at most a tenth.
    const mostCredits = crossingCredits / depth / (count < MOST_OF_CATEGORY ? 1 : 10)
    if (known.includes(id) || count >= depth * MOST_OF_CATEGORY || Number(priceOf(model)) > mostCredits) continue
    tried.set(category, count + 1)
    const path = routePath(ROUTES.getModel, { id })
    const name = names[(others.length + 1) % names.length]
    const response = await read(path, name && keys[name])
    const target = targetOf(response.status < 300 ? response : await read(path), id)
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
  if (response.status !== 200)
    throw new CannotStartError(`The model ${model} cannot be read: GET /v1/models/{id} returns ${response.status}.`)
  const target = targetOf(response, model, input)
  if (typeof target !== 'string') return target
  const isShown = Number.isFinite(priceOf(response.json)) && isRecord(at(response.json, '/input_schema/properties'))
  throw new (isShown ? CannotStartError : UnfitModelsError)(target.replace(/Give one\.$/, `Give one (${option}).`))
}

/** @param taken models that are slow or fail, which the main one must not */
async function cheapest(read: Read, taken: readonly unknown[]): Promise<ModelTarget> {
  const candidates = byPrice(await listAll(read)).filter((model) => !taken.includes(at(model, '/id')))
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    const id = String(at(candidate, '/id'))
    const target = targetOf(await read(routePath(ROUTES.getModel, { id })), id)
    if (typeof target !== 'string') return target
  }
  throw new UnfitModelsError('No model has a price and an input that can be made up. Choose a model and its input.')
}

function targetOf(response: ApiResponse, modelId: string, input?: Record<string, unknown>): ModelTarget | string {
  const inputSchema = at(response.json, '/input_schema')
  const creditsPerRun = priceOf(response.json)
  if (typeof creditsPerRun !== 'number' || !(creditsPerRun >= 0)) {
    return `The model ${modelId} has no price: /pricing/credits_per_run is ${show(creditsPerRun)}.`
  }
  const sample = input ?? sampleInput(inputSchema)
  if (sample === undefined) return `No input can be made up for the model ${modelId}. Give one.`
  return { modelId, category: at(response.json, '/category'), input: sample, creditsPerRun, inputSchema }
}

function priceOf(model: unknown): unknown {
  return at(model, '/pricing/credits_per_run')
}

/** Reads a path below the base URL, by default with the key that has all permissions. */
type Read = (path: string, key?: string) => Promise<ApiResponse>

const MAX_PAGES = 20

/** The entries of a page. */
export function modelsOf(response: ApiResponse): readonly Record<string, unknown>[] {
  return itemsOf(at(response.json, '/models')).filter(isRecord)
}

/** All models, by pages of the largest size. */
export async function listAll(read: Read): Promise<Record<string, unknown>[]> {
  const models: Record<string, unknown>[] = []
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = `limit=${LIMITS.modelsPageMax}&offset=${models.length}`
    const more = modelsOf(await read(`${ROUTES.listModels.path}?${query}`))
    models.push(...more)
    if (more.length < LIMITS.modelsPageMax) break
  }
  return models
}
