import * as z from 'zod/mini'
import { faultOptionsSchema } from '../faults/fault-options.ts'
import { JOURNAL_KINDS } from '../history/journal-entry.ts'
import { COMPONENTS } from './schemas.ts'

/** What a call is for, its response, and the statuses of its own errors: 404 what does not exist, 409 what is not possible now. */
type Operation<Response extends z.ZodMiniType = z.ZodMiniType> = readonly [
  summary: string,
  response: Response,
  ...errors: readonly (404 | 409)[],
]

const { Activity, AddedFault, ApiKey, Clock, Delivery, Exchanges, Job } = COMPONENTS
const { JournalEntry, Model, Report, Webhook } = COMPONENTS

const count = z.int().check(z.minimum(0))
const now = { now_ms: z.number() }
const newKey = z.object({ key: z.string() })
const entries = z.readonly(z.array(JournalEntry))

/** Every call of the control API. */
export const CONTROL_OPERATIONS = {
  createKey: ['Create an API key with an account of its own', newKey],
  readKey: ['Read an API key', ApiKey, 404],
  limitKey: ['Change what an API key may do; `allow_ips: null` lifts the limit', ApiKey, 404],
  revokeKey: ['Revoke an API key', ApiKey, 404],
  addScript: [
    'Add outcomes for the next runs of a model; the response says how many wait for a run',
    z.object({ waiting: count }),
    404,
  ],
  readClock: ['Read the clock', Clock],
  advanceClock: ['Move time on; only with the clock manual or auto, or while it is paused', z.object(now), 409],
  setClockScale: ['Change how fast time passes; 0 pauses it; only with the clock system or scaled', Clock, 409],
  addFault: ['Make requests fail', z.object({ id: z.string() }), 404],
  listFaults: ['List the faults', z.object({ faults: z.array(AddedFault) }), 404],
  removeFaults: ['Remove a fault; without `id` all faults of the account', z.object({ removed: count }), 404],
  reset: ['Reset an account, or everything', z.object({ reset: z.enum(['all', 'account']) }), 404],
  readCatalog: ['Read all models, with what they take', z.object({ models: z.array(Model) })],
  readExchanges: ['Read what happened to a job, as data: requests, states and deliveries', Exchanges, 404],
  readJob: ['Read a job of any account', Job, 404],
  completeJob: ['End a job as succeeded', Job, 404, 409],
  failJob: ['End a job as failed', Job, 404, 409],
  setWebhooks: ['Set how results are delivered from now on', z.object({ webhook: Webhook }), 404],
  listDeliveries: ['List the deliveries', z.object({ deliveries: z.array(Delivery) }), 404],
  nextDelivery: [
    'Wait for the next delivery, and take it: 10 s of real time unless given, then 404',
    z.object({ delivery: Delivery }),
    404,
  ],
  readJournal: ['Read what happened', z.object({ entries, text: z.string() }), 404],
  readStory: ['Read what happened to a job, as text', z.object({ job_id: z.string(), story: z.string() }), 404],
  readReport: ['Read what is left over', Report, 404],
  readActivity: [
    'Read all jobs and what else happened, requests of jobs without bodies, and the state of clock, keys and deliveries; with `epoch` and `after`, the epoch and the place of an earlier response, what is new since then',
    Activity,
  ],
  sendRun: [
    'Run a model as a client does; waits for a response for a second at most',
    z.object({
      job_id: z.optional(z.string()),
      status: z.optional(z.int()),
      message: z.optional(z.string()),
    }),
    404,
  ],
} satisfies Readonly<Record<string, Operation>>

/** Name of a call. */
export type OperationId = keyof typeof CONTROL_OPERATIONS

/** The JSON that a call responds with. */
export type ResponseOf<Id extends OperationId> = z.output<(typeof CONTROL_OPERATIONS)[Id][1]>

/** Parameters of the query that are no text of any kind. */
export const QUERY_SCHEMAS: Readonly<Record<string, z.ZodMiniType>> = { kind: z.enum(JOURNAL_KINDS) }

/** Bodies where the route does not say all of it. */
export const BODIES: Readonly<Partial<Record<OperationId, z.ZodMiniType>>> = {
  addFault: z.extend(faultOptionsSchema, { key: z.optional(z.string()) }),
}
