import { showKey } from '../../domain/api-keys.ts'
import type { JournalRecord, RequestEntry } from './journal-entry.ts'
import { redactBody, redactText } from './redact.ts'

/** A request and its response, secrets included. */
export interface RequestDetails extends Omit<RequestEntry, 'kind' | 'path'> {
  readonly url: string
}

/** About what a record takes besides its texts. */
const RECORD_BYTES = 320

/** A request in the journal. To cut up its address and to leave out secrets costs time, so it is done when it is read. */
export class RequestRecord implements JournalRecord {
  readonly startPlace: number
  readonly endPlace: number
  readonly bytes: number
  readonly #details: RequestDetails

  constructor(details: RequestDetails, { startPlace, endPlace }: Pick<JournalRecord, 'startPlace' | 'endPlace'>) {
    this.#details = details
    this.startPlace = startPlace
    this.endPlace = endPlace
    const { url, requestBody = '', responseBody = '', hint = '' } = details
    this.bytes = RECORD_BYTES + url.length + requestBody.length + responseBody.length + hint.length
  }

  get entry(): RequestEntry {
    const { url, key, requestBody, responseBody, ...rest } = this.#details
    return {
      kind: 'request',
      ...rest,
      path: redactText(new URL(url).pathname),
      key: key && showKey(key),
      requestBody: requestBody && redactBody(requestBody),
      responseBody: responseBody && redactText(responseBody),
    }
  }
}
