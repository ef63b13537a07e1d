import type { Assumptions } from './assumptions.ts'

/** One question that the specification leaves open, and how the reference server answers it. */
export interface AssumptionNote {
  /** Section of the specification that leaves it open. */
  section: string
  question: string
  choice: string
  /** What else a service could do. */
  alternatives: readonly string[]
  /** The option that switches to an alternative, where there is one. */
  switch?: keyof Assumptions | undefined
}

/** Everything that the server does although the specification does not say so. */
export const ASSUMPTION_NOTES: readonly AssumptionNote[] = [
  {
    section: '4.3',
    question: 'Status code of a run with sync: false',
    choice: '202, because the work is not done',
    alternatives: ['200'],
    switch: 'asyncRunStatus',
  },
  {
    section: '4.3',
    question: 'Answer to a synchronous run whose job fails while it is held',
    choice:
      '502 with job_id, request_id, model_id, status "failed" and error: section 7 gives every error an error member, ' +
      'and the identity lets a client tell a failed job from a broken gateway',
    alternatives: ['200 with the same body'],
    switch: 'failedSyncRunStatus',
  },
  {
    section: '4.3',
    question: 'Answer to a synchronous run whose job is cancelled while it is held',
    choice: '200 with job_id, request_id, model_id and status "cancelled"',
    alternatives: ['409 CONFLICT with the same members and an error'],
    switch: 'cancelledSyncRunStatus',
  },
  {
    section: '4.3',
    question: 'sync: false together with webhook_url',
    choice: 'Queued, as without webhook_url; the result is delivered all the same',
    alternatives: ['202 processing, as with webhook_url alone'],
  },
  {
    section: '4.3',
    question: 'Schemes of webhook_url',
    choice: 'http and https; others are a 400',
    alternatives: ['https only'],
  },
  {
    section: '4.3',
    question: 'Members of a request body, and query parameters, that the specification does not name',
    choice: '400, so that a misspelt one is noticed',
    alternatives: ['ignored'],
  },
  {
    section: '4.3',
    question: 'Parameters in input that the model does not have',
    choice: 'Refused like every other wrong input',
    alternatives: ['ignored', 'passed on to the provider'],
  },
  {
    section: '4.1',
    question: 'An unknown category',
    choice: 'An empty list: the set of categories may grow',
    alternatives: ['400'],
    switch: 'unknownCategory',
  },
  {
    section: '4.1',
    question: 'A limit above 100',
    choice: '400: what is asked for cannot be had',
    alternatives: ['100 is applied instead'],
    switch: 'limitAboveMaximum',
  },
  {
    section: '4.1',
    question: 'limit or offset that is no integer, limit below 1, offset below 0, a parameter given twice',
    choice: '400',
    alternatives: ['the default is applied instead'],
  },
  { section: '4.1', question: 'Default of offset', choice: '0', alternatives: [] },
  {
    section: '4.1',
    question: 'How search compares',
    choice: 'Letter case does not count; the text occurs in name or description',
    alternatives: ['words', 'fuzzy'],
  },
  {
    section: '4.4',
    question: 'Members of the job status beyond status, output and error',
    choice: 'None, so that nobody comes to rely on them',
    alternatives: ['job_id, request_id, model_id, created_at, completed_at, duration_ms, credits_used'],
    switch: 'jobFields',
  },
  {
    section: '4.4',
    question: 'How long a job and its files can be read',
    choice: 'As long as the server runs, or until a reset',
    alternatives: ['404 NOT_FOUND after some time'],
  },
  {
    section: '4.4',
    question: 'A job of another account',
    choice: '404 NOT_FOUND, as if there were none',
    alternatives: ['403 FORBIDDEN'],
  },
  {
    section: '4.5',
    question: 'Answer to a cancel',
    choice: '200 with { data: { job_id, status: "cancelled" } }',
    alternatives: ['204 without a body'],
    switch: 'cancelAnswer',
  },
  {
    section: '3',
    question: 'Cancel of a job that has succeeded, failed or been cancelled',
    choice: '409 CONFLICT; nothing changes',
    alternatives: ['200 that shows the unchanged state'],
    switch: 'cancelOfFinishedJob',
  },
  {
    section: '3',
    question: 'When a queued job starts to be processed',
    choice: 'After 200 ms; a run with sync or webhook_url starts at once',
    alternatives: ['any other time'],
    switch: 'queuedMs',
  },
  {
    section: '5',
    question: 'Which permission each endpoint needs',
    choice: 'As the routes of the contract say: a run needs models:run, a cancel jobs:write',
    alternatives: ['a run needs jobs:write as well'],
    switch: 'runNeedsJobsWrite',
  },
  {
    section: '5',
    question: 'Whether a run with webhook_url needs webhooks:manage',
    choice: 'No: it creates no webhook that stays',
    alternatives: ['yes'],
  },
  {
    section: '5',
    question: 'A key used from an address outside its allowlist',
    choice: '403 FORBIDDEN: the key is valid',
    alternatives: ['401 UNAUTHORIZED'],
  },
  {
    section: '5',
    question: 'What a live key and a test key do differently',
    choice: 'Nothing: both run models and are charged',
    alternatives: ['a test key is charged nothing, or gets sample files'],
  },
  {
    section: '5',
    question: 'Whether output files need a key',
    choice: 'No: whoever has the address may read the file',
    alternatives: ['a signed address that expires'],
  },
  {
    section: '6',
    question: 'Whether the webhook of a cancelled job is called',
    choice: 'No',
    alternatives: ['yes, with job_id and status "cancelled"'],
    switch: 'cancelledJobWebhook',
  },
  {
    section: '6',
    question: 'A receiver that answers with a redirect',
    choice: 'A failed delivery: it is no 2xx, and it is not followed',
    alternatives: ['followed'],
  },
  {
    section: '6',
    question: 'Headers that let a receiver verify a delivery',
    choice: 'None',
    alternatives: ['a signature'],
  },
  {
    section: '7',
    question: 'Order of the checks',
    choice: 'Key, address, permission, path and method, body or query, model or job, input, credits',
    alternatives: ['any other'],
  },
  {
    section: '7',
    question: 'A malformed body or query',
    choice: '400 VALIDATION_ERROR',
    alternatives: ['400 with another code', '422'],
  },
  {
    section: '7',
    question: 'An input that the model does not allow',
    choice: '400 VALIDATION_ERROR: one code for whatever the caller has to change in the request',
    alternatives: ['422 VALIDATION_ERROR'],
    switch: 'invalidInputStatus',
  },
  {
    section: '7',
    question: 'An unknown model, job, file or path',
    choice: '404 NOT_FOUND',
    alternatives: [],
  },
  {
    section: '7',
    question: 'A method that a path does not have',
    choice: '405 METHOD_NOT_ALLOWED with the header Allow',
    alternatives: ['404'],
  },
  {
    section: '7',
    question: 'Too few credits',
    choice: '402 INSUFFICIENT_CREDITS, checked before the job exists; running jobs have their price reserved',
    alternatives: ['403', 'a job that fails'],
  },
  {
    section: '7',
    question: 'When credits are charged',
    choice: 'Once, when the job succeeds; never when it fails or is cancelled',
    alternatives: ['when the job starts, and given back'],
  },
  {
    section: '7',
    question: 'A body of another content type than application/json',
    choice: '415 UNSUPPORTED_MEDIA_TYPE',
    alternatives: ['400 VALIDATION_ERROR', 'read as JSON all the same'],
  },
  {
    section: '8',
    question: 'Largest request body',
    choice: '1 MiB; more is 413 PAYLOAD_TOO_LARGE',
    alternatives: ['any other size'],
  },
  { section: '8', question: 'Rate limits', choice: 'None', alternatives: ['429'] },
]
