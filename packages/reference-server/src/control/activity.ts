import type { Job } from '../domain/job.ts'
import { journalText, selectRecords } from '../history/journal.ts'
import { JOURNAL_KINDS, type JournalRecord, jobIdOf } from '../history/journal-entry.ts'
import { makeReport } from '../service/report.ts'
import type { Service } from '../service/service.ts'
import { clockJson } from './clock.ts'
import { jobRow } from './job-row.ts'
import { keyJson } from './keys.ts'
import type { ControlResponses } from './responses.ts'
import { accountIfNamed, get, rejected } from './route.ts'
import { toWire } from './wire-names.ts'

/** The newest entries are listed, and the oldest keys. */
const MAX_ENTRIES = 10_000
const MAX_KEYS = 100

/** What the dashboard shows: everything that happened. */
export const ACTIVITY_ROUTES = [
  get('readActivity', 'activity', (service, { req }): ControlResponses['Activity'] => {
    const { jobs, observer } = service
    const { journal } = observer
    const now = jobs.settle()
    const { epoch, after } = req.queries
    const isMore = epoch === journal.epoch
    const records = journal.records().filter(({ endPlace }) => !isMore || endPlace > Number(after))
    const all = isMore ? jobsOf(service, records) : [...jobs.finished(), ...jobs.unfinished()]
    return {
      now_ms: now,
      epoch: journal.epoch,
      place: journal.lastPlace,
      jobs: all.toSorted((one, other) => one.createdAt - other.createdAt).map((job) => jobRow(job, now)),
      // The rows of the jobs say what their changes of state say.
      entries: records
        .filter(({ entry }) => entry.kind !== 'job')
        .slice(-MAX_ENTRIES)
        .map(shortEntry),
      ...stateOf(service),
    }
  }),
]

function jobsOf({ jobs }: Service, records: readonly JournalRecord[]): Job[] {
  const ids = new Set(records.map(({ entry }) => jobIdOf(entry)))
  return [...ids].flatMap((id) => jobs.find(id ?? '') ?? [])
}

/** What no entry of the journal has. */
function stateOf({ clock, keys }: Service) {
  const shown = keys.all().slice(0, MAX_KEYS)
  return {
    clock: clockJson(clock),
    keys: shown.map((key) => ({
      ...keyJson(key),
      faults: key.account.faults.list(),
      webhook: key.account.webhook,
    })),
  }
}

/** A request of a job without its headers and bodies, except that of an error: `readExchanges` has them. */
function shortEntry({ entry, endPlace: place }: JournalRecord): ControlResponses['JournalEntry'] {
  if (entry.kind !== 'request' || entry.job_id === undefined) return toWire({ ...entry, place })
  const { requestBody: _, responseBody, requestHeaders: __, responseHeaders: ___, ...rest } = entry
  return toWire({ ...rest, place, ...((entry.status ?? 0) < 400 ? {} : { responseBody }) })
}

/** The routes that report what happened during a test. Without a `key`: for all accounts. */
export const REPORT_ROUTES = [
  get('readJournal', 'journal', (service, { req }) => {
    const { key, job_id: jobId, kind: kindText } = req.queries
    const kind = JOURNAL_KINDS.find((one) => one === kindText)
    if (kind !== kindText) throw rejected('VALIDATION_ERROR', `kind must be one of ${JOURNAL_KINDS.join(', ')}.`)
    const records = selectRecords(service.observer.journal, accountIfNamed(service, key), { kind, jobId })
    return {
      entries: records.map(({ entry, endPlace: place }) => toWire({ ...entry, place })),
      text: journalText(records.map(({ entry }) => entry)),
    }
  }),
  get('readStory', 'story/{job_id}', (service, { req }) => {
    const job_id = req.param('job_id')
    const story = service.observer.story(job_id, service.jobs.find(job_id))
    if (story !== undefined) return { job_id, story }
    throw rejected('NOT_FOUND', `The journal knows nothing of a job ${JSON.stringify(job_id.slice(0, 60))}.`)
  }),
  get('readReport', 'report', (service, { req }): ControlResponses['Report'] =>
    toWire(makeReport(service, accountIfNamed(service, req.query('key')))),
  ),
]
