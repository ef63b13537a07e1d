import type { NoteText } from './assumption-note.ts'

/** Open questions about models and the endpoints: sections 2 and 4. */
export const ENDPOINT_ASSUMPTIONS = {
  sourceUrls: {
    section: '2.3',
    question: 'Values of a parameter for the URL of a source file, such as image_url: its name is url or ends in _url',
    choice:
      'An http or https URL, or a data URI with a media type and base64; other text is rejected like every other wrong ' +
      'input. The URL itself is not fetched',
    alternatives: ['http and https only', 'https only', 'only certain media types', 'a job that fails'],
  },
  asyncRunStatus: {
    section: '4.3',
    question: 'Status code of a run with sync: false',
    choice: '202, because the work is not done',
    alternatives: ['200'],
  },
  failedSyncRunStatus: {
    section: '4.3',
    question: 'Response to a synchronous run whose job fails while it is held',
    choice:
      '502 with job_id, request_id, model_id, status "failed" and error: section 7 gives every error an error member, ' +
      'and the identity lets a client distinguish a failed job from a broken gateway',
    alternatives: [
      '200 or another status with the same body',
      '202 as for a run that continues; polling reads the failure',
    ],
  },
  failedSyncRunBody: {
    section: '4.3',
    question: 'Body of that response',
    choice: 'job_id, request_id, model_id, status "failed" and error',
    alternatives: ['an error alone, where the status code says so'],
  },
  cancelledSyncRunStatus: {
    section: '4.3',
    question: 'Response to a synchronous run whose job is cancelled while it is held',
    choice: '200 with job_id, request_id, model_id and status "cancelled"',
    alternatives: ['409 CONFLICT with the same members and an error'],
  },
  asyncRunWithWebhook: {
    section: '4.3',
    question: 'sync: false together with webhook_url',
    choice: 'Queued, as without webhook_url; the result is delivered all the same',
    alternatives: ['202 processing, as with webhook_url alone'],
  },
  runFields: {
    section: '4.3',
    question: 'Members of responses to runs that the section does not name',
    choice: 'None, so that no client relies on them',
    alternatives: [
      'any, each behind the status of the response, as in queued/created_at: those of jobFields, credits_remaining and message are filled in, others are null',
    ],
  },
  webhookSchemes: {
    section: '4.3',
    question: 'Schemes of webhook_url',
    choice: 'http and https; others are a 400',
    alternatives: ['https only', 'accepted, and nothing is delivered'],
    rejections: ['webhookScheme'],
  },
  webhookUserInfo: {
    section: '4.3',
    question: 'A user name and password in webhook_url, as in https://user:secret@app.test/hook',
    choice: '400, so that it is noticed at once: clients such as fetch do not call such a URL',
    alternatives: ['sent to the receiver as basic authentication', 'a delivery that fails'],
  },
  nullMembers: {
    section: '4.3',
    question: 'null for sync or webhook_url',
    choice: '400: leave out a member that is not needed',
    alternatives: ['as if the member were missing'],
  },
  unknownMembers: {
    section: '4.3',
    question: 'Members of a request body, and query parameters, that the specification does not name',
    choice: '400, so that a misspelt one is noticed',
    alternatives: ['ignored'],
    rejections: ['unknownMember', 'unknownQueryParameter'],
  },
  unknownParameters: {
    section: '4.3',
    question: 'Parameters in input that the model does not have',
    choice: 'Rejected like every other wrong input',
    alternatives: ['ignored', 'passed on to the provider'],
    rejections: ['unknownParameter'],
  },
  unknownCategory: {
    section: '4.1',
    question: 'An unknown category',
    choice: 'An empty list: the set of categories may grow',
    alternatives: ['400', 'all models'],
    rejections: ['unknownCategory'],
  },
  limitAboveMaximum: {
    section: '4.1',
    question: 'A limit above 100',
    choice: '400: such a page does not exist',
    alternatives: ['100 is applied instead'],
    rejections: ['limitAboveMaximum'],
  },
  invalidPages: {
    section: '4.1',
    question: 'limit or offset that is not an integer, limit below 1, offset below 0, a parameter given twice',
    choice: '400',
    alternatives: ['the default is applied instead'],
    rejections: ['invalidPage'],
  },
  emptyFilters: {
    section: '4.1',
    question: 'category or search without a text',
    choice: 'An empty category is an unknown one; an empty search is in every name, so it leaves nothing out',
    alternatives: ['both as if they were missing', '400'],
  },
  defaultOffset: { section: '4.1', question: 'Default of offset', choice: '0', alternatives: [] },
  searchCase: {
    section: '4.1',
    question: 'Whether letter case counts in a search',
    choice: 'No',
    alternatives: ['yes'],
  },
  searchWords: {
    section: '4.1',
    question: 'How search compares',
    choice: 'The text occurs in name or description, in the middle of a word too',
    alternatives: ['whole words', 'what comes close'],
  },
  plainSlashInPath: {
    section: '4.2',
    question: 'An id with a slash in the path as it is, and not percent-encoded',
    choice: 'Served',
    alternatives: ['an unknown path'],
  },
  headRequests: {
    section: '4',
    question: 'HEAD of what can be read with GET',
    choice:
      'The response to GET without its body; HEAD of a job counts as a status request. HEAD of a file has a ' +
      'content-length only when the file was read not long ago',
    alternatives: ['405 METHOD_NOT_ALLOWED'],
  },
  jobFields: {
    section: '4.4',
    question: 'Members of the job status beyond status, output and error',
    choice: 'None, so that no client relies on them',
    alternatives: [
      'any: job_id, id, request_id, model_id, created_at, completed_at, duration_ms, credits_used and credits_remaining are filled in, others are null',
    ],
  },
  absentJobFields: {
    section: '4.4',
    question: 'output and error of a job that has none',
    choice: 'Left out',
    alternatives: ['null'],
  },
  unfinishedJobStatus: {
    section: '4.4',
    question: 'Status code of the job status while the job continues',
    choice: '200',
    alternatives: ['202'],
  },
  jobLifetime: {
    section: '4.4',
    question: 'How long a job and its files can be read',
    choice: 'Until 100,000 more jobs have finished (the option retention), until a reset, or until the server ends',
    alternatives: ['404 NOT_FOUND after some time'],
  },
  otherAccountsJob: {
    section: '4.4',
    question: 'A job of another account',
    choice: '404 NOT_FOUND, as if there were none',
    alternatives: ['403 FORBIDDEN'],
  },
  cancelStatus: {
    section: '4.5',
    question: 'Status code of the response to a cancel',
    choice: '200',
    alternatives: ['202', '204 without a body'],
  },
  cancelFields: {
    section: '4.5',
    question: 'Body of the response to a cancel',
    choice: '{ data: { job_id, status: "cancelled" } }',
    alternatives: ['none', 'any members at any place'],
  },
} satisfies Readonly<Record<string, NoteText>>
