import { at, itemsOf } from '../../packages/conformance/src/json.ts'
import { editQuery } from './edits.ts'
import { edited, isFor, type WireRequest, type WireResponse, when } from './mutation.ts'

// What the mutants of lists are made of.

export const queryParameter = ({ url }: WireRequest, name: string) => url.searchParams.get(name)
export const has = (name: string) => (_: unknown, request: WireRequest) => queryParameter(request, name) !== null
export const isLater = (_: unknown, request: WireRequest) => Number(queryParameter(request, 'offset')) > 0
export const list = (...edits: Parameters<typeof when>) => edited('listModels', when(...edits))
export const always = () => true
export const both = (query: URLSearchParams, ...names: string[]) => names.every((name) => query.has(name))
export const isList = (request: WireRequest) => isFor(request, 'listModels')
export const countOf = ({ json }: WireResponse) => itemsOf(at(json, '/models')).length

/** Forgets one parameter where another is there. */
export function forgets(name: string, where: string) {
  return editQuery((query) => {
    if (both(query, name, where) && query.get(where) !== '0') query.delete(name)
  })
}
