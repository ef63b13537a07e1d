import type { RejectionKind } from '@modelrun/contract'
import {
  type AssumptionOptions,
  assumptionsSchema,
  type CheckName,
  DEFAULT_ASSUMPTIONS,
} from '@modelrun/contract/assumptions'
import { tryParseJson } from '@modelrun/kit'
import type { CatalogModel } from '../domain/catalog.ts'
import { createReferenceServer } from '../reference-server.ts'
import { type Exchange, errorIn } from './exchange.ts'

const KINDS = Object.keys(DEFAULT_ASSUMPTIONS.rejections) as RejectionKind[] // the type says that these are its keys

/** What a request can hold besides other mistakes: the reference server can accept it, and then shows the next one. */
export const ACCEPTABLE: readonly RejectionKind[] = /* @__PURE__ */ KINDS.filter(
  (kind) => !kind.startsWith('cancel') && assumptionsSchema.safeParse({ rejections: { [kind]: 'accepted' } }).success,
)

/** The check that finds a mistake of a run. */
const CHECK_OF: Readonly<Partial<Record<RejectionKind, CheckName>>> = {
  otherContentType: 'json',
  emptyBody: 'json',
  brokenJson: 'json',
  arrayBody: 'json',
  scalarBody: 'json',
  invalidBody: 'body',
  inputNull: 'body',
  inputArray: 'body',
  otherInput: 'body',
  unknownMember: 'body',
  syncWord: 'body',
  syncDigit: 'body',
  syncYes: 'body',
  syncText: 'body',
  syncNumber: 'body',
  syncNull: 'body',
  malformedWebhookUrl: 'webhook',
  webhookEmpty: 'webhook',
  webhookNull: 'webhook',
  webhookNumber: 'webhook',
  webhookScheme: 'webhook',
  plainHttpWebhook: 'webhook',
  unknownModelRun: 'runModel',
  missingParameter: 'input',
  invalidInput: 'input',
  optionalNull: 'input',
  requiredEmpty: 'input',
  unknownParameter: 'input',
}

/** Of a mistake of a run. */
export function checkOf(kind: RejectionKind): CheckName | undefined {
  return CHECK_OF[kind]
}

type Request = Pick<Exchange, 'method' | 'path' | 'query' | 'contentType' | 'body'>

/**
 * What is wrong with a request by the specification and the schema of its model. The reference server itself is asked, in
 * every order of its checks: its error codes are the names of the mistakes.
 */
export async function mistakesIn(request: Request, catalog: readonly CatalogModel[]): Promise<RejectionKind[]> {
  const found = await mistakesInOrder(request, catalog, [])
  const others = found.length === 0 || request.method !== 'POST' ? [] : new Set(Object.values(CHECK_OF))
  for (const check of others) {
    const { checkOrder } = DEFAULT_ASSUMPTIONS
    const order = [check, ...checkOrder.filter((name) => name !== check)]
    for (const kind of await mistakesInOrder(request, catalog, order)) if (!found.includes(kind)) found.push(kind)
  }
  return found
}

async function mistakesInOrder(
  request: Request,
  catalog: readonly CatalogModel[],
  checkOrder: readonly CheckName[],
): Promise<RejectionKind[]> {
  const found: RejectionKind[] = []
  for (;;) {
    const next = await firstMistake(request, catalog, { accepted: found, checkOrder })
    if (next === undefined) return found
    found.push(next)
    if (!ACCEPTABLE.includes(next)) return found
  }
}

async function firstMistake(
  { method, path, query, contentType, body }: Request,
  catalog: readonly CatalogModel[],
  { accepted, checkOrder }: { accepted: readonly RejectionKind[]; checkOrder: readonly CheckName[] },
): Promise<RejectionKind | undefined> {
  const named = KINDS.map((kind) => [kind, accepted.includes(kind) ? 'accepted' : { status: 400, code: kind }])
  const assumptions: AssumptionOptions = {
    unknownCategory: 'reject',
    checkOrder,
    rejections: Object.fromEntries(named),
  }
  const credits = Number.MAX_SAFE_INTEGER
  const deliver = async () => new Response()
  const server = createReferenceServer({ clock: 'manual', latency: 0, catalog, credits, deliver, assumptions })
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': contentType }
  const response = await server.fetch(`${path}${query}`, { method, headers, ...(body === '' ? {} : { body }) })
  const code = errorIn(tryParseJson(await response.text()))?.code
  await server.close()
  return KINDS.find((kind) => kind === code)
}
