import { showKey } from '../../domain/show-key.ts'
import type { JournalRecord } from './journal.ts'
import type { RequestEntry } from './journal-entry.ts'
import { redactBody, redactText } from './redact.ts'

/** A request and its answer as they were, secrets included. */
export interface RequestFacts extends Omit<RequestEntry, 'kind' | 'path'> {
  readonly url: string
}

/** About what a record takes besides its texts. */
const RECORD_BYTES = 320

/** A request in the journal. To cut up its address and to leave out secrets costs time, so it is done when it is read. */
export class RequestRecord implements JournalRecord {
  readonly beganAs: number
  readonly endedAs: number
  readonly bytes: number
  readonly #facts: RequestFacts

  constructor(facts: RequestFacts, { beganAs, endedAs }: Pick<JournalRecord, 'beganAs' | 'endedAs'>) {
    this.#facts = facts
    this.beganAs = beganAs
    this.endedAs = endedAs
    const { url, requestBody = '', responseBody = '', hint = '' } = facts
    this.bytes = RECORD_BYTES + url.length + requestBody.length + responseBody.length + hint.length
  }

  get entry(): RequestEntry {
    const { url, key, requestBody, responseBody, ...rest } = this.#facts
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
