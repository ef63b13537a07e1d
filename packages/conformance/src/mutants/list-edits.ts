import { at, itemsOf } from '../json.ts'
import { asks } from './edits.ts'
import { answers, isFor, type WireAnswer, type WireRequest, when } from './mutation.ts'

// What the mutants of lists are made of.

export const asked = ({ url }: WireRequest, name: string) => url.searchParams.get(name)
export const has = (name: string) => (_: unknown, request: WireRequest) => asked(request, name) !== null
export const isLater = (_: unknown, request: WireRequest) => Number(asked(request, 'offset')) > 0
export const list = (...edits: Parameters<typeof when>) => answers('listModels', when(...edits))
export const always = () => true
export const both = (query: URLSearchParams, ...names: string[]) => names.every((name) => query.has(name))
export const isList = (request: WireRequest) => isFor(request, 'listModels')
export const countOf = ({ json }: WireAnswer) => itemsOf(at(json, '/models')).length

/** Forgets one parameter where another is there. */
export function forgets(name: string, where: string) {
  return asks((query) => {
    if (both(query, name, where) && query.get(where) !== '0') query.delete(name)
  })
}
