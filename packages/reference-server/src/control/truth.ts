import { JOURNAL_KINDS } from '../history/journal/journal-entry.ts'
import { journalText, viewJournal } from '../history/journal/journal-view.ts'
import { makeReport } from '../history/report.ts'
import type { AppContext } from '../http/app-env.ts'
import { errorResponses } from '../http/error-responses.ts'
import { jsonResponse } from '../http/json-response.ts'
import type { Service } from '../service/service.ts'
import { entryJson, reportJson } from './json.ts'
import { type ControlRoute, unknownKey } from './route.ts'

/** The routes that report what happened during a test. Without a `key`: for all accounts. */
export const TRUTH_ROUTES = [
  { operationId: 'readJournal', method: 'GET', name: 'journal', handler: readJournalRoute },
  { operationId: 'readStory', method: 'GET', name: 'story/{job_id}', handler: readStoryRoute },
  { operationId: 'readReport', method: 'GET', name: 'report', handler: readReportRoute },
  {
    operationId: 'readCoverage',
    method: 'GET',
    name: 'coverage',
    handler: ({ observer }) => jsonResponse(200, observer.coverage.coverage()),
  },
] as const satisfies readonly ControlRoute[]

function readJournalRoute(service: Service, { req }: AppContext): Response {
  const { key, job_id: jobId, kind: kindText } = req.query()
  if (key !== undefined && service.keys.find(key) === undefined) return unknownKey()
  const kind = JOURNAL_KINDS.find((one) => one === kindText)
  if (kind !== kindText) return errorResponses.invalid(`kind must be one of ${JOURNAL_KINDS.join(', ')}.`)
  const view = viewJournal(service.observer.journal, (one) => service.keys.get(one).account)
  const entries = view.entries({ key, jobId, kind })
  return jsonResponse(200, { entries: entries.map(entryJson), text: journalText(entries) })
}

function readStoryRoute(service: Service, { req }: AppContext): Response {
  const job_id = req.param('job_id') ?? ''
  const story = service.observer.story(job_id, service.jobs.find(job_id))
  if (story === undefined)
    return errorResponses.notFound(`The journal knows nothing of a job ${JSON.stringify(job_id.slice(0, 60))}.`)
  return jsonResponse(200, { job_id, story })
}

function readReportRoute(service: Service, { req }: AppContext): Response {
  const key = req.query('key')
  const account = key === undefined ? undefined : service.keys.find(key)?.account
  if (key !== undefined && account === undefined) return unknownKey()
  return jsonResponse(200, reportJson(makeReport(service, account)))
}
