import { MODEL_CATEGORIES } from '@modelrun/contract'
import { closestName } from '../domain/closest-name.ts'
import type { HintContext } from './hint-scene.ts'

const LIST_PARAMETERS = ['category', 'search', 'limit', 'offset']
const RUN_FIELDS = ['input', 'sync', 'webhook_url']

/** Which query parameter, or category, was probably meant. */
export function queryHints({ request, status, trace }: HintContext): string[] {
  if (!request.url.includes('?') || trace.route === undefined || trace.route === 'control') return []
  const query = [...new URL(request.url).searchParams]
  if (trace.route === 'listModels') return query.flatMap(([name, value]) => listHints(name, value))
  if (status !== 400) return []
  const field = query.map(([name]) => closestName(name, RUN_FIELDS)).find((name) => name !== undefined)
  return trace.route === 'runModel' && field !== undefined ? [`${field} is a member of the JSON body.`] : []
}

function listHints(name: string, value: string): string[] {
  const categories: readonly string[] = MODEL_CATEGORIES
  if (name === 'category' && !categories.includes(value)) return didYouMean(closestName(value, categories))
  return LIST_PARAMETERS.includes(name) ? [] : didYouMean(closestName(name, LIST_PARAMETERS))
}

function didYouMean(name: string | undefined): string[] {
  return name === undefined ? [] : [`Did you mean ${name}?`]
}
