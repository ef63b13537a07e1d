import { ROUTES, routePath } from '@modelrun/contract'
import type { ApiResponse } from '../http/caller.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { CannotStartError, type ModelChoice, type ResolvedOptions } from '../options.ts'
import { type ModelTarget, sampleInput } from './inputs.ts'

export type RunKind = keyof Targets

export interface Targets {
  main?: ModelTarget | undefined
  slow?: ModelTarget | undefined
  failing?: ModelTarget | undefined
  /** The slow model, else the main model. */
  longest?: ModelTarget | undefined
}

export function targetsOf({ main, slow, failing }: Targets): ModelTarget[] {
  return [main, slow, failing].filter((target) => target !== undefined)
}

const WITHOUT_RUNS = 'Without runs, all that needs none is judged.'
/** Number of cheapest models that are tried for an input made from the schema. */
const MOST_CANDIDATES = 20

type Models = readonly Record<string, unknown>[]
type Read = (path: string) => Promise<ApiResponse>

/** @throws CannotStartError when a model is not there, or is shown without a price or a schema that an input can be made from */
export async function chooseTargets(wanted: ResolvedOptions['models'], models: Models, read: Read): Promise<Targets> {
  const choose = async (choice: ModelChoice | undefined) => {
    const target = choice && (await targetOf(read, choice))
    if (typeof target === 'string') throw new CannotStartError(`${target} ${WITHOUT_RUNS}`)
    return target
  }
  const [slow, failing] = [await choose(wanted.slow), await choose(wanted.failing)]
  const taken = targetsOf({ slow, failing }).map(({ modelId }) => modelId)
  const others = models.filter(({ id }) => !taken.includes(String(id)))
  const main = (await choose(wanted.main)) ?? (await cheapest(others, read))
  return { main, slow, failing, longest: slow ?? main }
}

async function cheapest(models: Models, read: Read): Promise<ModelTarget> {
  const active = models.filter((model) => model.status === 'active' && Number.isInteger(priceOf(model)))
  const candidates = active.toSorted((one, other) => Number(priceOf(one)) - Number(priceOf(other)))
  for (const { id } of candidates.slice(0, MOST_CANDIDATES)) {
    const target = await targetOf(read, { model: String(id) })
    if (typeof target !== 'string') return target
  }
  throw new CannotStartError(`No model has a price and an input that can be made up. Choose a model. ${WITHOUT_RUNS}`)
}

/** The model with its input, or why it cannot be run. */
async function targetOf(read: Read, { model: modelId, input }: ModelChoice): Promise<ModelTarget | string> {
  const { status, json } = await read(routePath(ROUTES.getModel, { id: modelId }))
  if (status !== 200) return `The model ${modelId} cannot be read: GET /v1/models/{id} returns ${status}.`
  const [inputSchema, creditsPerRun] = [at(json, '/input_schema'), priceOf(json)]
  if (typeof creditsPerRun !== 'number' || !(creditsPerRun >= 0))
    return `The model ${modelId} has no price: /pricing/credits_per_run is ${show(creditsPerRun)}.`
  const sample = input ?? sampleInput(inputSchema)
  if (sample === undefined) return `No input can be made up for the model ${modelId}. Give one with the model.`
  return { modelId, input: sample, creditsPerRun, inputSchema }
}

export function priceOf(model: unknown): unknown {
  return at(model, '/pricing/credits_per_run')
}

export function modelsOf(response: ApiResponse): Models {
  return itemsOf(at(response.json, '/models')).filter(isRecord)
}
