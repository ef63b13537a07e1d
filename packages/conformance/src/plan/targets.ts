import { ROUTES, routePath } from '@modelrun/contract'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { CannotStartError, type ModelChoice, type ResolvedOptions } from '../options.ts'
import { type ModelTarget, sampleInput } from './inputs.ts'

/** The model of a run. `longest`: the slow model, else the main model. */
export type RunKind = 'main' | 'slow' | 'failing' | 'longest'

/** The models that the suite runs. */
export interface Targets {
  main?: ModelTarget | undefined
  slow?: ModelTarget | undefined
  failing?: ModelTarget | undefined
}

/** All of them. */
export function targetsOf({ main, slow, failing }: Targets): ModelTarget[] {
  return [main, slow, failing].filter((target) => target !== undefined)
}

const WITHOUT_RUNS = 'Without runs, all that needs none is judged.'
/** Number of cheapest models that are tried for an input made from the schema. */
const MOST_CANDIDATES = 20

/** What the models are chosen from. */
interface Choosing {
  options: ResolvedOptions
  /** All models of the list. */
  models: readonly Record<string, unknown>[]
  read: (path: string) => Promise<ApiResponse>
}

/** @throws CannotStartError when a model is not there, or is shown without a price or a schema that an input can be made from */
export async function chooseTargets(choosing: Choosing): Promise<Targets> {
  const { options, models, read } = choosing
  const chosen = {
    slow: options.models.slow && (await chooseModel(read, options.models.slow, '--slow-input')),
    failing: options.models.failing && (await chooseModel(read, options.models.failing, '--failing-input')),
  }
  const active = models.filter((model) => model.status === 'active' && Number.isInteger(priceOf(model)))
  const candidates = active.toSorted((one, other) => Number(priceOf(one)) - Number(priceOf(other)))
  const taken = targetsOf(chosen).map(({ modelId }) => modelId)
  const main =
    options.models.main === undefined
      ? await cheapest(
          candidates.filter(({ id }) => !taken.includes(String(id))),
          read,
        )
      : await chooseModel(read, options.models.main, '--input')
  return { ...chosen, main }
}

/** @param option of the command line that sets the model's input */
async function chooseModel(read: Choosing['read'], { model, input }: ModelChoice, option: string) {
  const response = await read(routePath(ROUTES.getModel, { id: model }))
  if (response.status !== 200)
    throw new CannotStartError(`The model ${model} cannot be read: GET /v1/models/{id} returns ${response.status}.`)
  const target = targetOf(response, model, input)
  if (typeof target !== 'string') return target
  throw new CannotStartError(`${target.replace(/Give one\.$/, `Give one (${option}).`)} ${WITHOUT_RUNS}`)
}

type Candidates = readonly Record<string, unknown>[]

async function cheapest(candidates: Candidates, read: Choosing['read']): Promise<ModelTarget> {
  for (const { id } of candidates.slice(0, MOST_CANDIDATES)) {
    const target = targetOf(await read(routePath(ROUTES.getModel, { id: String(id) })), String(id))
    if (typeof target !== 'string') return target
  }
  throw new CannotStartError(`No model has a price and an input that can be made up. Choose a model. ${WITHOUT_RUNS}`)
}

function targetOf(response: ApiResponse, modelId: string, input?: Record<string, unknown>): ModelTarget | string {
  const inputSchema = at(response.json, '/input_schema')
  const creditsPerRun = priceOf(response.json)
  if (typeof creditsPerRun !== 'number' || !(creditsPerRun >= 0))
    return `The model ${modelId} has no price: /pricing/credits_per_run is ${show(creditsPerRun)}.`
  const sample = input ?? sampleInput(inputSchema)
  if (sample === undefined) return `No input can be made up for the model ${modelId}. Give one.`
  return { modelId, input: sample, creditsPerRun, inputSchema }
}

function priceOf(model: unknown): unknown {
  return at(model, '/pricing/credits_per_run')
}

/** The models of a page. */
export function modelsOf(response: ApiResponse): readonly Record<string, unknown>[] {
  return itemsOf(at(response.json, '/models')).filter(isRecord)
}
