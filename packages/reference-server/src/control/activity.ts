import { journalText, selectRecords } from '../history/journal/journal.ts'
import { JOURNAL_KINDS, type JournalEntry, type JournalRecord } from '../history/journal/journal-entry.ts'
import { makeReport } from '../service/report.ts'
import { jobRow } from './job-row.ts'
import { accountIfNamed, get, invalid, notFound } from './route.ts'
import type { ControlResponses } from './schemas.ts'
import { toWire } from './wire-names.ts'

/** The newest entries are listed. */
const MAX_ENTRIES = 10_000

/** What the dashboard shows: everything that happened. */
export const ACTIVITY_ROUTES = [
  get('readActivity', 'activity', ({ jobs, clock, observer }) => {
    const now = jobs.settle()
    const all = [...jobs.finished(), ...jobs.unfinished()].toSorted((one, other) => one.createdAt - other.createdAt)
    // The rows of the jobs say what their changes of state say.
    const records = observer.journal.records().filter(({ entry }) => entry.kind !== 'job')
    const entries = records.slice(-MAX_ENTRIES).map(shortEntry)
    return { now_ms: clock.now(), jobs: all.map((job) => jobRow(job, now)), entries }
  }),
  get('readEntry', 'activity/{place}', ({ observer }, { req }) => {
    const place = Number(req.param('place'))
    const record = observer.journal.records().find(({ endPlace }) => endPlace === place)
    if (record !== undefined) return { entry: toWire({ ...record.entry, place }) }
    throw notFound('The journal has no such entry. It stores the newest, until a reset.')
  }),
]

/** Without headers, and without bodies except that of an error. `readEntry` and `readExchanges` have them. */
export function shortEntry({ entry, endPlace: place }: JournalRecord): ControlResponses['JournalEntry'] {
  return toWire({ ...withoutBodies(entry), place })
}

function withoutBodies(entry: JournalEntry): JournalEntry {
  if (entry.kind !== 'request') return entry
  const { requestBody: _, responseBody, requestHeaders: __, responseHeaders: ___, ...rest } = entry
  return (entry.status ?? 0) < 400 ? rest : { ...rest, responseBody }
}

/** The routes that report what happened during a test. Without a `key`: for all accounts. */
export const REPORT_ROUTES = [
  get('readJournal', 'journal', (service, { req }) => {
    const { key, job_id: jobId, kind: kindText } = req.queries
    const kind = JOURNAL_KINDS.find((one) => one === kindText)
    if (kind !== kindText) throw invalid(`kind must be one of ${JOURNAL_KINDS.join(', ')}.`)
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
    throw notFound(`The journal knows nothing of a job ${JSON.stringify(job_id.slice(0, 60))}.`)
  }),
  get('readReport', 'report', (service, { req }) =>
    toWire(makeReport(service, accountIfNamed(service, req.query('key')))),
  ),
]
