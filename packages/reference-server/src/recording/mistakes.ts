import type { RejectionKind } from '@modelrun/contract'
import { type AssumptionOptions, DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import { tryParseJson } from '@modelrun/kit'
import type { CatalogModel } from '../domain/catalog.ts'
import { createReferenceServer } from '../reference-server.ts'
import { type Exchange, errorIn } from './exchange.ts'

const KINDS = Object.keys(DEFAULT_ASSUMPTIONS.rejections) as RejectionKind[] // the type says that these are its keys

/** What a request can hold besides other mistakes: the reference server can accept it, and then shows the next one. */
export const ACCEPTABLE: readonly RejectionKind[] = [
  'missingParameter',
  'invalidInput',
  'unknownParameter',
  'unknownMember',
  'webhookScheme',
  'otherContentType',
  'unknownQueryParameter',
  'limitAboveMaximum',
  'invalidPage',
]

type Request = Pick<Exchange, 'method' | 'path' | 'query' | 'contentType' | 'body'>

/**
 * What is wrong with a request by the specification and the schema of its model. The reference server itself is asked:
 * its error codes are the names of the mistakes.
 */
export async function mistakesIn(request: Request, catalog: readonly CatalogModel[]): Promise<RejectionKind[]> {
  const found: RejectionKind[] = []
  for (;;) {
    const next = await firstMistake(request, catalog, found)
    if (next === undefined) return found
    found.push(next)
    if (!ACCEPTABLE.includes(next)) return found
  }
}

async function firstMistake(
  { method, path, query, contentType, body }: Request,
  catalog: readonly CatalogModel[],
  accepted: readonly RejectionKind[],
): Promise<RejectionKind | undefined> {
  const named = KINDS.map((kind) => [kind, accepted.includes(kind) ? 'accepted' : { status: 400, code: kind }])
  const assumptions: AssumptionOptions = { unknownCategory: 'reject', rejections: Object.fromEntries(named) }
  const credits = Number.MAX_SAFE_INTEGER
  const deliver = async () => new Response()
  const server = createReferenceServer({ clock: 'manual', latency: 0, catalog, credits, deliver, assumptions })
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': contentType }
  const response = await server.fetch(`${path}${query}`, { method, headers, ...(body === '' ? {} : { body }) })
  const code = errorIn(tryParseJson(await response.text()))?.code
  await server.close()
  return KINDS.find((kind) => kind === code)
}
