import type { NoteText } from './assumption-note.ts'

/** Open questions about ids, states, keys, webhooks, errors and limits: sections 2.4, 3 and 5 to 8. */
export const SERVICE_ASSUMPTIONS = {
  requestIdHeader: {
    section: '2.4',
    question: 'Whether a response has an id of the HTTP request, beside request_id, which is the id at the provider',
    choice:
      'Yes, in the header x-request-id of every response, errors and files included. It names one HTTP ' +
      'exchange with the service; request_id in the body of a run names the job at the provider',
    alternatives: ['no such header'],
  },
  cancelOfFinishedJob: {
    section: '3',
    question: 'Cancel of a job that has succeeded, failed or been cancelled',
    choice: '409 CONFLICT; nothing changes',
    alternatives: ['a status of success that shows the unchanged state'],
    rejections: ['cancelOfFinishedJob', 'cancelOfCancelledJob'],
  },
  queuedMs: {
    section: '3',
    question: 'When a queued job starts to be processed',
    choice: 'After 200 ms; a run with sync or webhook_url starts at once',
    alternatives: ['any other time'],
  },
  runNeedsJobsWrite: {
    section: '5',
    question: 'Which permission each endpoint needs',
    choice: 'As the routes of the contract say: a run needs models:run, a cancel jobs:write',
    alternatives: ['a run needs jobs:write as well'],
  },
  webhookNeedsManage: {
    section: '5',
    question: 'Whether a run with webhook_url needs webhooks:manage',
    choice: 'No: it creates no webhook that stays',
    alternatives: ['yes'],
  },
  ipOutsideAllowlist: {
    section: '5',
    question: 'A key used from an IP address outside its allowlist',
    choice: '403 FORBIDDEN: the key is valid',
    alternatives: ['401 UNAUTHORIZED'],
    rejections: ['ipOutsideAllowlist'],
  },
  liveAndTestKeys: {
    section: '5',
    question: 'What a live key and a test key do differently',
    choice: 'Nothing: both run models and are charged',
    alternatives: ['a test key is charged nothing, or gets sample files'],
  },
  filesWithoutKey: {
    section: '5',
    question: 'Whether output files need a key',
    choice: 'No: anyone with the URL may read the file',
    alternatives: ['a signed URL that expires'],
  },
  cancelledJobWebhook: {
    section: '6',
    question: 'Whether the webhook of a cancelled job is called',
    choice: 'No',
    alternatives: ['yes, with job_id and status "cancelled"'],
  },
  deliveriesOfOneResult: {
    section: '6',
    question: 'How often a result is delivered',
    choice: 'Once, unless a script or a test sets another number',
    alternatives: ['more often'],
  },
  webhookRedirects: {
    section: '6',
    question: 'A receiver that responds with a redirect',
    choice: 'A failed delivery: a redirect is not a 2xx, and is not followed',
    alternatives: ['followed'],
  },
  webhookSignature: {
    section: '6',
    question: 'Headers that let a receiver verify a delivery',
    choice: 'None',
    alternatives: ['a signature'],
  },
  orderOfChecks: {
    section: '7',
    question: 'Order of the checks',
    choice: 'Key, address, permission, path and method, body or query, model or job, input, credits',
    alternatives: ['any other'],
  },
  malformedRequest: {
    section: '7',
    question: 'A malformed body or query',
    choice: '400 VALIDATION_ERROR',
    alternatives: ['400 with another code', '422'],
    rejections: ['brokenJson', 'invalidBody'],
  },
  invalidInput: {
    section: '7',
    question: 'An input that the model does not allow',
    choice: '400 VALIDATION_ERROR: one code for everything that the caller has to change in the request',
    alternatives: ['422 VALIDATION_ERROR', 'a job that fails'],
    rejections: ['missingParameter', 'invalidInput'],
  },
  unknownResource: {
    section: '7',
    question: 'An unknown model, job, file or path',
    choice: '404 NOT_FOUND',
    alternatives: ['another code', 'a cancel that succeeds'],
    rejections: ['unknownModel', 'unknownModelRun', 'unknownJob', 'cancelOfUnknownJob', 'unknownPath'],
  },
  wrongMethod: {
    section: '7',
    question: 'A method that a path does not have',
    choice: '405 METHOD_NOT_ALLOWED with the header Allow',
    alternatives: ['404'],
  },
  insufficientCredits: {
    section: '7',
    question: 'Too few credits',
    choice: '402 INSUFFICIENT_CREDITS, checked before the job exists; running jobs have their price reserved',
    alternatives: ['403', 'a job that fails'],
    rejections: ['insufficientCredits'],
  },
  whenCharged: {
    section: '7',
    question: 'When credits are charged',
    choice: 'Once, when the job succeeds; never when it fails or is cancelled',
    alternatives: ['when the job starts, and given back'],
  },
  creditsOfFailedRun: {
    section: '2.1',
    question: 'What a run that fails is charged',
    choice: 'Nothing',
    alternatives: ['its price'],
  },
  otherContentType: {
    section: '7',
    question: 'A body of another content type than application/json',
    choice: '415 UNSUPPORTED_MEDIA_TYPE',
    alternatives: ['400 VALIDATION_ERROR', 'read as JSON all the same'],
    rejections: ['otherContentType'],
  },
  largestBody: {
    section: '8',
    question: 'Largest request body',
    choice: '1 MiB; more is 413 PAYLOAD_TOO_LARGE',
    alternatives: ['any other size'],
  },
  deepestBody: {
    section: '8',
    question: 'How deep the JSON of a request body may nest',
    choice: '64 levels of objects and arrays, the body itself included; more is 400 VALIDATION_ERROR',
    alternatives: ['any other depth'],
  },
  rateLimits: { section: '8', question: 'Rate limits', choice: 'None', alternatives: ['429'] },
} satisfies Readonly<Record<string, NoteText>>
