import type { AssumptionNote } from './assumption-note.ts'

/** Open questions about models and the endpoints: sections 2 and 4. */
export const ENDPOINT_ASSUMPTIONS: readonly AssumptionNote[] = [
  {
    name: 'sourceUrls',
    section: '2.3',
    question: 'What a parameter for the URL of a source file takes, such as image_url: one named url or ending in _url',
    choice:
      'An http or https URL, or a data URI with a media type and base64; other text is rejected like every other wrong ' +
      'input. What is behind the URL is not read',
    alternatives: ['http and https only', 'https only', 'only certain media types', 'a job that fails'],
  },
  {
    name: 'asyncRunStatus',
    section: '4.3',
    question: 'Status code of a run with sync: false',
    choice: '202, because the work is not done',
    alternatives: ['200'],
    switch: 'asyncRunStatus',
  },
  {
    name: 'failedSyncRunStatus',
    section: '4.3',
    question: 'Answer to a synchronous run whose job fails while it is held',
    choice:
      '502 with job_id, request_id, model_id, status "failed" and error: section 7 gives every error an error member, ' +
      'and the identity lets a client tell a failed job from a broken gateway',
    alternatives: ['200 with the same body'],
    switch: 'failedSyncRunStatus',
  },
  {
    name: 'cancelledSyncRunStatus',
    section: '4.3',
    question: 'Answer to a synchronous run whose job is cancelled while it is held',
    choice: '200 with job_id, request_id, model_id and status "cancelled"',
    alternatives: ['409 CONFLICT with the same members and an error'],
    switch: 'cancelledSyncRunStatus',
  },
  {
    name: 'asyncRunWithWebhook',
    section: '4.3',
    question: 'sync: false together with webhook_url',
    choice: 'Queued, as without webhook_url; the result is delivered all the same',
    alternatives: ['202 processing, as with webhook_url alone'],
  },
  {
    name: 'webhookSchemes',
    section: '4.3',
    question: 'Schemes of webhook_url',
    choice: 'http and https; others are a 400',
    alternatives: ['https only'],
  },
  {
    name: 'webhookUserInfo',
    section: '4.3',
    question: 'A user name and password in webhook_url, as in https://user:secret@app.test/hook',
    choice: '400, so that it is noticed at once: clients such as fetch call no such URL',
    alternatives: ['sent to the receiver as basic authentication', 'a delivery that fails'],
  },
  {
    name: 'nullMembers',
    section: '4.3',
    question: 'null for sync or webhook_url',
    choice: '400: a member that is not wanted is left out',
    alternatives: ['as if the member were missing'],
  },
  {
    name: 'unknownMembers',
    section: '4.3',
    question: 'Members of a request body, and query parameters, that the specification does not name',
    choice: '400, so that a misspelt one is noticed',
    alternatives: ['ignored'],
  },
  {
    name: 'unknownParameters',
    section: '4.3',
    question: 'Parameters in input that the model does not have',
    choice: 'Refused like every other wrong input',
    alternatives: ['ignored', 'passed on to the provider'],
  },
  {
    name: 'unknownCategory',
    section: '4.1',
    question: 'An unknown category',
    choice: 'An empty list: the set of categories may grow',
    alternatives: ['400'],
    switch: 'unknownCategory',
  },
  {
    name: 'limitAboveMaximum',
    section: '4.1',
    question: 'A limit above 100',
    choice: '400: what is asked for cannot be had',
    alternatives: ['100 is applied instead'],
    switch: 'limitAboveMaximum',
  },
  {
    name: 'oddPages',
    section: '4.1',
    question: 'limit or offset that is no integer, limit below 1, offset below 0, a parameter given twice',
    choice: '400',
    alternatives: ['the default is applied instead'],
  },
  {
    name: 'emptyFilters',
    section: '4.1',
    question: 'category or search without a text',
    choice: 'An empty category is an unknown one; an empty search is in every name, so it leaves nothing out',
    alternatives: ['both as if they were missing', '400'],
  },
  { name: 'defaultOffset', section: '4.1', question: 'Default of offset', choice: '0', alternatives: [] },
  {
    name: 'searchComparison',
    section: '4.1',
    question: 'How search compares',
    choice: 'Letter case does not count; the text occurs in name or description',
    alternatives: ['words', 'fuzzy'],
  },
  {
    name: 'headRequests',
    section: '4',
    question: 'HEAD of what can be read with GET',
    choice:
      'The response to GET without its body; HEAD of a job counts as a status request. HEAD of a file has a ' +
      'content-length only when the file was read not long ago',
    alternatives: ['405 METHOD_NOT_ALLOWED'],
  },
  {
    name: 'jobFields',
    section: '4.4',
    question: 'Members of the job status beyond status, output and error',
    choice: 'None, so that nobody comes to rely on them',
    alternatives: ['job_id, request_id, model_id, created_at, completed_at, duration_ms, credits_used'],
    switch: 'jobFields',
  },
  {
    name: 'jobLifetime',
    section: '4.4',
    question: 'How long a job and its files can be read',
    choice: 'Until 100,000 more jobs have finished (the option retention), until a reset, or until the server ends',
    alternatives: ['404 NOT_FOUND after some time'],
  },
  {
    name: 'otherAccountsJob',
    section: '4.4',
    question: 'A job of another account',
    choice: '404 NOT_FOUND, as if there were none',
    alternatives: ['403 FORBIDDEN'],
  },
  {
    name: 'cancelAnswer',
    section: '4.5',
    question: 'Answer to a cancel',
    choice: '200 with { data: { job_id, status: "cancelled" } }',
    alternatives: ['204 without a body'],
    switch: 'cancelAnswer',
  },
]
