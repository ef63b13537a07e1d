import { JOURNAL_KINDS } from '../history/journal/journal-entry.ts'
import { journalText, viewJournal } from '../history/journal/journal-view.ts'
import { makeReport } from '../history/report.ts'
import { entryJson, withSnakeCase } from './job-row.ts'
import { accountIfNamed, get, invalid, notFound, requireKey } from './route.ts'

/** The routes that report what happened during a test. Without a `key`: for all accounts. */
export const REPORT_ROUTES = [
  get('readJournal', 'journal', (service, { req }) => {
    const { key, job_id: jobId, kind: kindText } = req.queries
    if (key !== undefined) requireKey(service, key)
    const kind = JOURNAL_KINDS.find((one) => one === kindText)
    if (kind !== kindText) throw invalid(`kind must be one of ${JOURNAL_KINDS.join(', ')}.`)
    const view = viewJournal(service.observer.journal, (one) => requireKey(service, one).account)
    const entries = view.entries({ key, jobId, kind })
    return { entries: entries.map(entryJson), text: journalText(entries) }
  }),
  get('readStory', 'story/{job_id}', (service, { req }) => {
    const job_id = req.param('job_id')
    const story = service.observer.story(job_id, service.jobs.find(job_id))
    if (story !== undefined) return { job_id, story }
    throw notFound(`The journal knows nothing of a job ${JSON.stringify(job_id.slice(0, 60))}.`)
  }),
  get('readReport', 'report', (service, { req }) =>
    withSnakeCase(makeReport(service, accountIfNamed(service, req.query('key')))),
  ),
]
