import * as z from 'zod/mini'
import { ERROR_MEMBERS } from './error-members.ts'
import { MORE_MEMBERS, pointer } from './more-members.ts'
import type { OpenQuestion } from './open-question.ts'

/** What is checked of a request, in the order of the reference server. Each endpoint has some of them. */
const CHECKS = [
  'models:read',
  'model',
  'jobs:read',
  'job',
  'jobs:write',
  'cancelledJob',
  'models:run',
  'json',
  'body',
  'webhook',
  'runModel',
  'input',
  'webhooks:manage',
  'credits',
] as const

interface Switch extends OpenQuestion {
  /** What may be chosen, and the default. */
  setting: z.ZodMiniType
}

/**
 * What the specification leaves open and a setting chooses, each with the choices and the default of the reference server.
 */
export const SWITCHES = {
  /** What a run that fails is charged (section 2.1). Default `none`. */
  creditsOfFailedRun: {
    section: '2.1',
    question: 'What a run that fails is charged',
    choice: 'Nothing',
    alternatives: ['its price'],
    setting: z._default(z.enum(['none', 'price']), 'none'),
  },
  /** Whether the balance falls when a job succeeds, or when it starts, and rises again when it ends otherwise (section 2.1). Default `success`. */
  whenCharged: {
    section: '2.1',
    question: 'When credits are charged',
    choice: 'Once, when the job succeeds; never when it fails or is cancelled',
    alternatives: ['when the job starts, and given back'],
    setting: z._default(z.enum(['success', 'start']), 'success'),
  },
  /** Whether each response has an id of its request in the header `x-request-id` (section 2.4). Default `sent`. */
  requestIdHeader: {
    section: '2.4',
    question: 'Whether a response has an id of the HTTP request, beside request_id, which is the id at the provider',
    choice:
      'Yes, in the header x-request-id of every response, errors and files included. It names one HTTP exchange; ' +
      'request_id names the job at the provider',
    alternatives: ['no such header'],
    setting: z._default(z.enum(['sent', 'none']), 'sent'),
  },
  /** How long a run with `sync: false` is `queued`, in milliseconds of the server's clock (section 3). Default 200. */
  queuedMs: {
    section: '3',
    question: 'When a queued job starts to be processed',
    choice: 'After 200 ms; a run with sync or webhook_url starts at once',
    alternatives: ['any other time'],
    setting: z._default(z.number().check(z.nonnegative()), 200),
  },
  /** A `category` outside section 2.2 in the list of models: no results, all models, or a rejection. Default `empty`. */
  unknownCategory: {
    section: '4.1',
    question: 'An unknown category',
    choice: 'An empty list: the set of categories may grow',
    alternatives: ['400', 'all models'],
    rejections: ['unknownCategory'],
    setting: z._default(z.enum(['empty', 'all', 'reject']), 'empty'),
  },
  /** Whether letter case counts in a search (section 4.1). Default `ignored`. */
  searchCase: {
    section: '4.1',
    question: 'Whether letter case counts in a search',
    choice: 'No',
    alternatives: ['yes'],
    setting: z._default(z.enum(['ignored', 'counts']), 'ignored'),
  },
  /** Whether a search finds parts of words, or whole words only (section 4.1). Default `parts`. */
  searchWords: {
    section: '4.1',
    question: 'How search compares',
    choice: 'The text occurs in name or description, in the middle of a word too',
    alternatives: ['whole words', 'what comes close'],
    setting: z._default(z.enum(['parts', 'whole']), 'parts'),
  },
  /** Whether the slash of a model's id may stand in the path as it is (section 4.2). Default `served`. */
  plainSlashInPath: {
    section: '4.2',
    question: 'An id with a slash in the path as it is, and not percent-encoded',
    choice: 'Served',
    alternatives: ['an unknown path'],
    setting: z._default(z.enum(['served', 'unknown']), 'served'),
  },
  /** Whether a path with a slash at its end is the same as without it (sections 4.1 to 4.5). Default `unknown`. */
  trailingSlash: {
    section: '4',
    question: 'A path with a slash at its end, such as /v1/models/',
    choice: 'An unknown path',
    alternatives: ['served, as without it'],
    setting: z._default(z.enum(['unknown', 'served']), 'unknown'),
  },
  /** Whether what can be read with GET can be read with HEAD, or HEAD is a wrong method (section 4). Default `served`. */
  headRequests: {
    section: '4',
    question: 'HEAD of what can be read with GET',
    choice:
      'The response to GET without its body; HEAD of a job counts as a status request. HEAD of a file has a ' +
      'content-length only when the file was read not long ago',
    alternatives: ['a method that the path does not have'],
    setting: z._default(z.enum(['served', 'rejected']), 'served'),
  },
  /** Status code of the response to a run with `sync: false` (section 4.3). Default 202. */
  asyncRunStatus: {
    section: '4.3',
    question: 'Status code of a run with sync: false',
    choice: '202, because the work is not done',
    alternatives: ['200'],
    setting: z._default(z.literal([200, 202]), 202),
  },
  /**
   * Status code of the response to a run whose job fails while it is held (section 4.3); 202: a response as if it went
   * on, and polling reads the failure. Default 502.
   */
  failedSyncRunStatus: {
    section: '4.3',
    question: 'Response to a synchronous run whose job fails while it is held',
    choice:
      '502: section 7 gives every error an error member, and the identity distinguishes a failed job from a broken ' +
      'gateway',
    alternatives: [
      '200 or another status with the same body',
      '202 as for a run that continues; polling reads the failure',
    ],
    setting: z._default(z.int().check(z.minimum(200), z.maximum(599)), 502),
  },
  /**
   * Body of that response: `job`; `error`, where the status code says so; or its members as JSON pointers, such as
   * `/error`. Default `job`.
   */
  failedSyncRunBody: {
    section: '4.3',
    question: 'Body of that response',
    choice: 'job_id, request_id, model_id, status "failed" and error',
    alternatives: ['an error alone', 'any members at any place'],
    setting: z._default(z.union([z.enum(['job', 'error']), z.readonly(z.array(pointer))]), 'job'),
  },
  /** Response to a run whose job is cancelled while it is held: 200, or 409 with an error as well. Default 200. */
  cancelledSyncRunStatus: {
    section: '4.3',
    question: 'Response to a synchronous run whose job is cancelled while it is held',
    choice: '200 with job_id, request_id, model_id and status "cancelled"',
    alternatives: ['409 CONFLICT with the same members and an error'],
    setting: z._default(z.literal([200, 409]), 200),
  },
  /** What a run with both `sync: false` and `webhook_url` is at first (section 4.3). Default `queued`. */
  asyncRunWithWebhook: {
    section: '4.3',
    question: 'sync: false together with webhook_url',
    choice: 'Queued, as without webhook_url; the result is delivered all the same',
    alternatives: ['202 processing, as with webhook_url alone'],
    setting: z._default(z.enum(['queued', 'processing']), 'queued'),
  },
  /** Whether output and error of a job status are left out or `null` where there is none. Default `left-out`. */
  absentJobFields: {
    section: '4.4',
    question: 'output and error of a job that has none',
    choice: 'Left out',
    alternatives: ['null'],
    setting: z._default(z.enum(['left-out', 'null']), 'left-out'),
  },
  /** Status code of the job status while the job continues (section 4.4). Default 200. */
  unfinishedJobStatus: {
    section: '4.4',
    question: 'Status code of the job status while the job continues',
    choice: '200',
    alternatives: ['202'],
    setting: z._default(z.literal([200, 202]), 200),
  },
  /** Status code of the response to a cancel (section 4.5). 204 has no body. Default 200. */
  cancelStatus: {
    section: '4.5',
    question: 'Status code of the response to a cancel',
    choice: '200',
    alternatives: ['202', '204 without a body'],
    setting: z._default(z.literal([200, 202, 204]), 200),
  },
  /** Whether the letter case of the word `Bearer` counts (section 5). Default `ignored`. */
  bearerCase: {
    section: '5',
    question: 'The word Bearer in other letter case, as in "bearer <API_KEY>"',
    choice: 'The same: letter case does not count in the name of a scheme',
    alternatives: ['no key'],
    setting: z._default(z.enum(['ignored', 'counts']), 'ignored'),
  },
  /** Whether a run needs `jobs:write` ("create and cancel jobs") besides `models:run` (section 5). Default `false`. */
  runNeedsJobsWrite: {
    section: '5',
    question: 'Which permission each endpoint needs',
    choice: 'As the routes of the contract say: a run needs models:run, a cancel jobs:write',
    alternatives: ['a run needs jobs:write as well'],
    setting: z._default(z.boolean(), false),
  },
  /** Whether a run with `webhook_url` needs `webhooks:manage` (section 5). Default `false`. */
  webhookNeedsManage: {
    section: '5',
    question: 'Whether a run with webhook_url needs webhooks:manage',
    choice: 'No: it creates no webhook that stays',
    alternatives: ['yes'],
    setting: z._default(z.boolean(), false),
  },
  /** Whether the webhook of a cancelled job is called (section 6, rule 7). Default `none`. */
  cancelledJobWebhook: {
    section: '6',
    question: 'Whether the webhook of a cancelled job is called',
    choice: 'No',
    alternatives: ['yes, with job_id and status "cancelled"'],
    setting: z._default(z.enum(['none', 'sent']), 'none'),
  },
  /** How often each result is delivered (section 6, rule 3). Default 1. */
  deliveriesOfOneResult: {
    section: '6',
    question: 'How often a result is delivered',
    choice: 'Once, unless a script or a test sets another number',
    alternatives: ['more often'],
    setting: z._default(z.int().check(z.minimum(1), z.maximum(100)), 1),
  },
  /**
   * Which mistake of several is reported: the checks in order (section 7). Those that are left out keep their places.
   * `model`, `job` and `cancelledJob` are of reads and cancels, `runModel` is the model of a run.
   */
  checkOrder: {
    section: '7',
    question: 'Order of the checks',
    choice: 'Key, address, permission, path and method, body or query, model or job, input, credits',
    alternatives: ['any other'],
    setting: z._default(z.readonly(z.array(z.enum(CHECKS))), CHECKS),
  },
  /** Members of errors beside `code` and `message` (section 7). A rejection may have others. Default none. */
  errorMembers: ERROR_MEMBERS,
  ...MORE_MEMBERS,
} satisfies Readonly<Record<string, Switch>>
