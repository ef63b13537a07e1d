import { type Checks, oneNameOf, readOptions, text as string, tryParseJson } from '@modelrun/kit'
import type { Account } from '../domain/account.ts'
import { FAULT_ENDPOINTS, type FaultEndpoint } from '../domain/fault-options.ts'
import { unknownModelText } from '../domain/list-models.ts'
import type { RequestEntry } from '../history/journal-entry.ts'
import { decodeSegment, withModelAsSegment } from '../wire/router.ts'
import type { Service } from './service.ts'

/** Which requests. Without a filter: all but those of the control API. */
export interface RequestFilter {
  /** Of this endpoint. */
  route?: FaultEndpoint | undefined
  /** Only those about this model, its jobs and its files. */
  model?: string | undefined
  /** With the account of this key. Default: of any. */
  key?: string | undefined
}

/** A request that came, and how it ended. */
export interface ReceivedRequest extends Omit<RequestEntry, 'requestBody' | 'responseBody'> {
  /** The whole body, parsed; a text that is not JSON as it is. Missing when there was none, or it could not be read. */
  readonly body?: unknown
}

/** @throws ConfigurationError for a name that does not exist: nothing would be found */
export function findRequests(
  service: Service,
  accountOf: (key: string | undefined) => Account | undefined,
  filter: RequestFilter,
): ReceivedRequest[] {
  const checks: Checks<RequestFilter> = {
    route: oneNameOf(FAULT_ENDPOINTS),
    model: (id) => {
      const isKnown = id === undefined || service.models.has(String(id))
      return isKnown ? undefined : `is wrong: ${unknownModelText(String(id), service.models)}`
    },
    key: string,
  }
  const { route, model, key } = readOptions('server.requests', filter, checks)
  const records = service.observer.journal.records(accountOf(key)).toSorted((a, b) => a.startPlace - b.startPlace)
  return records.flatMap(({ entry, body: text }) => {
    if (entry.kind !== 'request' || entry.route === 'control') return []
    const { requestBody, responseBody: _, ...request } = entry
    if (route !== undefined && request.route !== route) return []
    if (model !== undefined && modelOf(service, request) !== model) return []
    const sent = text ?? requestBody
    if (sent === undefined) return [request]
    const body: unknown = tryParseJson(sent)
    return [{ ...request, body: body === undefined ? sent : body }]
  })
}

function modelOf({ jobs }: Service, { job_id, path }: Pick<RequestEntry, 'job_id' | 'path'>): string | undefined {
  const job = job_id === undefined ? undefined : jobs.find(job_id)
  const [, segment] = /\/v1\/models\/([^/]+)/.exec(withModelAsSegment(path)) ?? []
  return job?.model.id ?? (segment && decodeSegment(segment))
}
