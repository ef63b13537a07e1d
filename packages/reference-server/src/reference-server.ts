import { type Checks, notNegative, readOptions, rejectArgument, text } from '@modelrun/kit'
import type { ServerClock } from './clock/clock.ts'
import type { Account } from './domain/account.ts'
import type { DeliveryRecord } from './domain/delivery.ts'
import { type ScriptedOutcome, type ScriptedWebhook, scriptedWebhookSchema } from './domain/scripted-outcome.ts'
import { type JournalView, viewJournal } from './history/journal.ts'
import { createApp } from './http/app.ts'
import { createFetch, createHandle } from './http/handle.ts'
import { createTransport, type ServerTransport } from './server-transport.ts'
import { controlFaults, type FaultControl } from './service/fault-control.ts'
import { controlJob, type JobControl } from './service/job-control.ts'
import { type ReferenceServerOptions, resolveOptions } from './service/options.ts'
import { LeftoversError, makeReport, type Report } from './service/report.ts'
import { findRequests, type ReceivedRequest, type RequestFilter } from './service/requests.ts'
import { Service } from './service/service.ts'
import type { CreateKeyOptions, KeyLimits } from './service/tenants.ts'
import { createKey, createKeyOptionsSchema, keyLimitsSchema, limitKey, scriptRuns } from './service/tenants.ts'
import { jsonCopy, parseShape, type ShapeCheck, shapeProblem } from './shared/parse-shape.ts'
import { restoreSnapshot, SNAPSHOT_NESTING } from './snapshot/restore-snapshot.ts'
import type { Snapshot } from './snapshot/snapshot-schema.ts'
import { takeSnapshot } from './snapshot/take-snapshot.ts'
import type { Deliver } from './webhooks/receivers.ts'

/** Which delivery a test waits for. */
interface NextDeliveryOptions {
  /** Of this key's account. Default: of any. */
  key?: string | undefined
  /** Of this job. Default: of any. */
  jobId?: string | undefined
  /** How long to wait, in milliseconds of real time, whatever the clock. Default: for ever. */
  timeoutMs?: number | undefined
}

const NEXT_DELIVERY: Checks<NextDeliveryOptions> = { key: text, jobId: text, timeoutMs: notNegative }

/** Options for `new ModelRun(…)` that lead to a reference server. */
export interface ServerClientOptions {
  /** A key of the server. */
  apiKey: string
  /** Where the server is, by the name that its `fetch` knows. */
  baseUrl: string
  /** Calls the server in this process. */
  fetch: typeof fetch
  /** The server's clock, so that the client waits on virtual time. */
  clock: ServerClock
  /** A key of a test double is not a secret: jsdom, happy-dom and pages with MSW count as browsers too. */
  dangerouslyAllowBrowser: true
}

/** The whole service in memory, and the methods by which a test controls it. */
export interface ReferenceServer {
  /** A drop-in for the global `fetch` that reaches nothing but this server, whatever the origin. */
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** URL of the server and of its files, without a slash at its end. */
  readonly baseUrl: string
  /** For transports: `listen` and the handlers of MSW use it. */
  readonly transport: ServerTransport
  /** A first key with all permissions, `sk_test_…`; its account is the default wherever a `key` may be left out. */
  readonly apiKey: string
  /** The time of the server; read it, or move it when it is virtual. */
  readonly clock: ServerClock
  /** Options for a client, which then shares the server's time. */
  clientOptions(key?: string): ServerClientOptions
  /** Makes an API key with an account of its own: jobs, credits, scripts and deliveries. @throws ConfigurationError */
  createKey(options?: CreateKeyOptions): { key: string }
  /** From now on requests with this key get a 401 (section 5). */
  revokeKey(key: string): void
  /** Revokes a key and makes another that may do the same, for the same account (section 5). */
  rotateKey(key: string): { key: string }
  /** Changes what a key may do (section 5). What is left out stays as it is. @throws ConfigurationError */
  limitKey(key: string, limits: KeyLimits): void
  /** Credits of an account that have not been charged. */
  credits(key?: string): number
  /** Says what the next runs of a model do, first in first out; later ones do what the catalog says. @throws ConfigurationError */
  script(modelId: string, outcomes: readonly ScriptedOutcome[], key?: string): void
  /** A job of any account, to read and to end. Throws an Error for an unknown id. */
  job(id: string): JobControl
  /**
   * Forgets jobs, charges, scripts, faults, deliveries and journal of one key's account, or of all. Keys and
   * time stay as they are.
   */
  reset(key?: string): void
  /** Makes requests go wrong, one account's at a time. */
  readonly faults: FaultControl
  /** Deliveries of results, to read and to disturb (section 6). */
  readonly webhooks: {
    /** Finished deliveries of an account, in the order in which they finished. */
    deliveries(key?: string): readonly DeliveryRecord[]
    /** The next finished delivery that was not returned here yet. @throws Error when the server is closed, or after `timeoutMs` */
    next(options?: NextDeliveryOptions): Promise<DeliveryRecord>
    /**
     * Says how results of an account are delivered from now on; the script of a run goes first. Without `how`: once and at
     * once, as the service does it. @throws ConfigurationError
     */
    script(how: ScriptedWebhook | undefined, key?: string): void
    /** Passes the deliveries of an account, or of all, to a function. `undefined`: to the option `deliver`, or to their URLs. */
    deliver(deliver: Deliver | undefined, key?: string): void
  }
  /** What happened, oldest first: requests, changes of jobs, deliveries, warnings. */
  readonly journal: JournalView
  /** The requests that came, oldest first, with their whole bodies, secrets included. Within `retention.journalBytes`. */
  requests(filter?: RequestFilter): readonly ReceivedRequest[]
  /** The life of a job on one page. The same in each run with virtual time. @throws Error for a job that is not in the journal */
  story(jobId: string): string
  /** What is left over, of one key's account or of all: jobs still running, results on their way, unused faults and more. */
  report(key?: string): Report
  /** For a hook after each test: forgets the same as `reset(key)`. @throws LeftoversError when something was left over */
  checkLeftovers(key?: string): void
  /** The whole state as plain JSON, without the journal. @throws ConfigurationError when a condition is a function */
  snapshot(): Snapshot
  /**
   * Puts the server into the state of a snapshot, of this or another server, and forgets its own. Held runs get the response
   * of a `reset()`. Its models must be in this server's catalog. Time continues from that of the snapshot, but with the
   * clock `'system'`.
   *
   * @throws ConfigurationError that says what is wrong with the snapshot; the server stays as it is
   */
  restore(snapshot: Snapshot): void
  /** What the header `x-reference-token` must be for control requests from other machines: see the option `controlToken`. */
  readonly controlToken: string
  /** Drops all timers and pending deliveries; requests get a 503 from now on. */
  close(): Promise<void>
}

/**
 * Creates the whole service in memory. Nothing listens and nothing is patched: give `server.fetch` to a client, or the
 * server to a transport.
 *
 * @example
 * const server = createReferenceServer({ clock: 'auto' })
 * const response = await server.fetch(`${server.baseUrl}/v1/models`, {
 *   headers: { authorization: `Bearer ${server.apiKey}` },
 * })
 *
 * @throws ConfigurationError that says which option is wrong and what is allowed
 */
export function createReferenceServer(options: ReferenceServerOptions = {}): ReferenceServer {
  return serverOf(new Service(resolveOptions(options)))
}

/** The methods of a reference server. A client that knows the seed of one on another machine must not know its token. */
export function serverOf(service: Service): ReferenceServer {
  const controlToken = service.options.controlToken ?? crypto.randomUUID().replaceAll('-', '')
  const handle = createHandle(service, createApp(service, controlToken))
  const serverFetch = createFetch(handle, service)
  const account = (key = service.firstKey.key): Account => service.keys.get(key).account
  const accountIfGiven = (key?: string) => (key === undefined ? undefined : account(key))
  return {
    fetch: serverFetch,
    transport: createTransport(service, handle),
    get baseUrl() {
      return service.baseUrl
    },
    get apiKey() {
      return service.firstKey.key
    },
    clock: service.clock.forClients,
    clientOptions: (key = service.firstKey.key) => ({
      apiKey: key,
      baseUrl: service.baseUrl,
      fetch: serverFetch,
      clock: service.clock.forClients,
      dangerouslyAllowBrowser: true,
    }),
    createKey: (given = {}) => {
      const options = requireValid('createKey', 'options', parseShape(createKeyOptionsSchema, given))
      return { key: createKey(service, options).key }
    },
    revokeKey: (key) => {
      service.keys.get(key).isRevoked = true
    },
    rotateKey: (key) => ({ key: service.keys.rotate(key).key }),
    limitKey: (key, limits) =>
      limitKey(service, service.keys.get(key), requireValid('limitKey', 'limits', parseShape(keyLimitsSchema, limits))),
    credits: (key) => {
      service.jobs.settle()
      return account(key).credits.left
    },
    script: (modelId, outcomes, key) => {
      requireValid('script', 'outcomes', scriptRuns(service, { account: account(key), modelId, outcomes }))
    },
    job: (id) => controlJob(service, id),
    reset: (key) => service.reset(accountIfGiven(key)),
    faults: controlFaults(service, account),
    webhooks: {
      deliveries: (key) => [...service.deliveries.of(account(key))],
      next: async (options = {}) => {
        const { key, jobId, timeoutMs } = readOptions('server.webhooks.next', options, NEXT_DELIVERY)
        return await service.deliveries.next({ account: accountIfGiven(key), jobId, timeoutMs })
      },
      script: (how, key) => {
        const checked = how === undefined ? undefined : parseShape(scriptedWebhookSchema, how)
        account(key).webhook = checked && requireValid('webhooks.script', 'how', checked)
      },
      deliver: (deliver, key) => service.receivers.set(deliver, accountIfGiven(key)),
    },
    journal: viewJournal(service.observer.journal, account),
    requests: (filter = {}) => findRequests(service, accountIfGiven, filter),
    story: (jobId) => storyOf(service, jobId),
    report: (key) => makeReport(service, accountIfGiven(key)),
    checkLeftovers: (key) => {
      const report = makeReport(service, accountIfGiven(key))
      service.reset(accountIfGiven(key))
      if (!report.isClean) throw new LeftoversError(report)
    },
    snapshot: () => takeSnapshot(service),
    restore: (snapshot) =>
      void requireValid('restore', 'snapshot', restoreSnapshot(service, jsonCopy(snapshot, SNAPSHOT_NESTING))),
    controlToken,
    close: async () => service.close(),
  }
}

function storyOf(service: Service, jobId: string): string {
  const story = service.observer.story(jobId, service.jobs.find(jobId))
  if (story !== undefined) return story
  throw new Error(
    `The journal knows nothing of a job ${JSON.stringify(jobId)}. It stores the newest entries, until a reset.`,
  )
}

function requireValid<Value>(method: string, argument: string, checked: ShapeCheck<Value>): Value {
  if (checked.ok) return checked.value
  return rejectArgument(`server.${method}`, argument, shapeProblem(checked.message))
}
