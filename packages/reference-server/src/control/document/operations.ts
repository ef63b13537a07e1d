import * as z from 'zod/mini'
import { faultOptionsSchema } from '../../faults/fault-options.ts'
import { JOURNAL_KINDS } from '../../history/journal/journal-entry.ts'
import type { OperationId } from '../routes.ts'
import { COMPONENTS } from './response-schemas.ts'

/** What the document says of a call besides its method and path. */
export interface ControlOperation {
  summary: string
  /** Parameters of the query, as text. */
  query?: z.ZodMiniObject
  /** The body that it takes, where the route does not say all of it. */
  body?: z.ZodMiniType
  response: z.ZodMiniType
  /** Whether the response is a stream of server-sent events, of which `response` is the data. */
  isStream?: true
  /** Statuses of its own errors: 404 for what does not exist, 409 for what is not possible now. */
  errors?: readonly (404 | 409)[]
}

const { AddedFault, ApiKey, Changes, Clock, Delivery, ClockEvent, Exchanges, Job, JobRow, JournalEntry } = COMPONENTS
const { Fork, Model, Report, Snapshot, Webhook } = COMPONENTS

const ofKey = z.object({ key: z.optional(z.string()) })
const count = z.int().check(z.minimum(0))
const newKey = z.object({ key: z.string() })

/** Every call of the control API. */
export const CONTROL_OPERATIONS: Readonly<Record<OperationId, ControlOperation>> = {
  createKey: { summary: 'Create an API key with an account of its own', response: newKey },
  listKeys: { summary: 'List the API keys, revoked ones too', response: z.object({ keys: z.array(ApiKey) }) },
  readKey: { summary: 'Read an API key', query: ofKey, response: ApiKey, errors: [404] },
  limitKey: {
    summary: 'Change what an API key may do; `allow_ips: null` lifts the limit',
    response: ApiKey,
    errors: [404],
  },
  rotateKey: { summary: 'Replace an API key: the response has the new one', response: newKey, errors: [404, 409] },
  revokeKey: { summary: 'Revoke an API key', response: ApiKey, errors: [404] },
  addScript: {
    summary: 'Add outcomes for the next runs of a model; the response says how many wait for a run',
    response: z.object({ waiting: count }),
    errors: [404],
  },
  readClock: { summary: 'Read the clock', response: Clock },
  advanceClock: {
    summary: 'Move time on; only with the clock manual or auto, or while it is paused',
    response: z.object({ now_ms: z.number(), happened: z.array(ClockEvent) }),
    errors: [409],
  },
  setClockScale: {
    summary: 'Change how fast time passes; 0 pauses it; only with the clock system or scaled',
    response: Clock,
    errors: [409],
  },
  addFault: {
    summary: 'Make requests fail',
    body: z.extend(faultOptionsSchema, { key: z.optional(z.string()) }),
    response: z.object({ id: z.string() }),
    errors: [404],
  },
  listFaults: {
    summary: 'List the faults',
    query: ofKey,
    response: z.object({ faults: z.array(AddedFault) }),
    errors: [404],
  },
  removeFaults: {
    summary: 'Remove a fault; without `id` all faults of the account',
    query: z.object({ id: z.optional(z.string()), key: z.optional(z.string()) }),
    response: z.object({ removed: count }),
    errors: [404],
  },
  reset: {
    summary: 'Reset an account, or everything',
    response: z.object({ reset: z.enum(['all', 'account']) }),
    errors: [404],
  },
  readCatalog: { summary: 'Read all models, with what they take', response: z.object({ models: z.array(Model) }) },
  listJobs: {
    summary: 'List the jobs of all accounts, oldest first',
    response: z.object({ now_ms: z.number(), jobs: z.array(JobRow) }),
  },
  readExchanges: {
    summary: 'Read what happened to a job, as data: requests, states and deliveries',
    query: z.object({ control: z.optional(z.enum(['true', 'false'])) }),
    response: Exchanges,
    errors: [404],
  },
  readJob: { summary: 'Read a job of any account', response: Job, errors: [404] },
  completeJob: { summary: 'End a job as succeeded', response: Job, errors: [404, 409] },
  failJob: { summary: 'End a job as failed', response: Job, errors: [404, 409] },
  cancelJob: { summary: 'End a job as cancelled', response: JobRow, errors: [404, 409] },
  hangJob: { summary: 'Keep a job from ending by itself', response: JobRow, errors: [404, 409] },
  setJobWebhook: {
    summary: 'Set how the result of an unfinished job is delivered',
    response: JobRow,
    errors: [404, 409],
  },
  deliverAgain: { summary: 'Deliver the result of a finished job again', response: JobRow, errors: [404, 409] },
  dropDeliveries: { summary: 'Drop the deliveries of a job that are on their way', response: JobRow, errors: [404] },
  setWebhooks: {
    summary: 'Set how results are delivered from now on',
    response: z.object({ webhook: Webhook }),
    errors: [404],
  },
  listDeliveries: {
    summary: 'List the deliveries',
    query: ofKey,
    response: z.object({ deliveries: z.array(Delivery) }),
    errors: [404],
  },
  nextDelivery: {
    summary: 'Wait for the next delivery, and take it: 10 s of real time unless given, then 404',
    response: z.object({ delivery: Delivery }),
    errors: [404],
  },
  readJournal: {
    summary: 'Read what happened',
    query: z.object({
      key: z.optional(z.string()),
      kind: z.optional(z.enum(JOURNAL_KINDS)),
      job_id: z.optional(z.string()),
    }),
    response: z.object({ entries: z.array(JournalEntry), text: z.string() }),
    errors: [404],
  },
  readStory: {
    summary: 'Read what happened to a job, as text',
    response: z.object({ job_id: z.string(), story: z.string() }),
    errors: [404],
  },
  readReport: { summary: 'Read what is left over', query: ofKey, response: Report, errors: [404] },
  takeSnapshot: {
    summary: 'Take a snapshot of the whole state; its members are not part of this API',
    response: Snapshot,
  },
  restoreSnapshot: { summary: 'Go back to a snapshot', body: Snapshot, response: z.object({ now_ms: z.number() }) },
  openFork: {
    summary: 'Start another server from the state of this one, at a port of its own; it ends with this server',
    response: Fork,
    errors: [409],
  },
  listForks: {
    summary: 'List the forks of this server',
    response: z.object({ forks: z.array(Fork), fork_of: z.optional(z.string()) }),
  },
  stopForks: {
    summary: 'Stop a fork; without `id` all forks of this server',
    query: z.object({ id: z.optional(z.string()) }),
    response: z.object({ stopped: count }),
    errors: [404],
  },
  readActivity: {
    summary: 'Read all jobs, and what else happened, without bodies',
    response: z.object({ now_ms: z.number(), jobs: z.array(JobRow), entries: z.array(JournalEntry) }),
  },
  readEntry: {
    summary: 'Read one thing that happened, with its bodies, by its place',
    response: z.object({ entry: JournalEntry }),
    errors: [404],
  },
  listActions: {
    summary: 'Read what was done to a server with a dashboard: enough to do it again',
    response: z.object({
      actions: z.array(
        z.looseObject({
          at_ms: z.number(),
          call: z.string(),
          key: z.optional(z.string()),
          job_id: z.optional(z.string()),
          body: z.optional(z.unknown()),
          made: z.optional(z.string()),
          path: z.optional(z.string()),
          status: z.optional(z.int()),
          job_status: z.optional(z.string()),
        }),
      ),
    }),
  },
  sendRun: {
    summary:
      'Run a model as a client does, and poll its job without a webhook; waits for a response for a second at most',
    response: z.object({
      job_id: z.optional(z.string()),
      status: z.optional(z.int()),
      message: z.optional(z.string()),
      hint: z.optional(z.string()),
    }),
    errors: [404],
  },
  readEvents: {
    summary: 'Follow what happens as server-sent events named `changes`, at most ten a second',
    response: Changes,
    isStream: true,
  },
}
