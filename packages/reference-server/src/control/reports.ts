import { JOURNAL_KINDS } from '../history/journal/journal-entry.ts'
import { journalText, selectRecords } from '../history/journal/journal-view.ts'
import { makeReport } from '../history/report.ts'
import { toWire } from './job-row.ts'
import { accountIfNamed, get, invalid, notFound } from './route.ts'

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
