import type { Engine } from '@modelrun/durable'
import { ModelRun } from 'modelrun'
import { createInbox, type DeliveryContext, type Inbox, type InboxOptions, type WebhookEvent } from 'modelrun/webhooks'
import { type JobService, startJobService } from './job-service.ts'
import { type EngineAt, openEngine } from './open-engine.ts'

const SECRET = 'a secret of thirty-two bytes, or more'
export const PUBLIC_URL = 'https://app.example.com/webhooks'

/** A service, and inboxes that share an engine as those of several processes do. */
export interface InboxHarness {
  engineAt: EngineAt
  /** Of the inboxes. */
  name: string
  service: JobService
  /** An inbox with an engine of its own on the same store, and the calls of its handler. */
  open(options?: InboxOptions): Promise<OpenedInbox>
  close(): Promise<void>
}

interface OpenedInbox {
  inbox: Inbox
  engine: Engine
  calls: [event: WebhookEvent, context: DeliveryContext][]
}

/** @param name name of the inboxes of a test: those of other tests on the same store have other names */
export async function openInboxHarness(engineAt: EngineAt, name: string): Promise<InboxHarness> {
  const service = await startJobService()
  const opened: OpenedInbox[] = []
  return {
    engineAt,
    name,
    service,
    open: async (options = {}) => {
      const engine = openEngine(engineAt, () => {})
      const calls: OpenedInbox['calls'] = []
      const inbox = createInbox({
        engine,
        name,
        client: new ModelRun({ apiKey: 'sk_test_harness', baseUrl: service.url, maxRetries: 0 }),
        secret: SECRET,
        publicUrl: PUBLIC_URL,
        lockMs: 2_000,
        backoffMs: 50,
        onHandlerError: () => {},
        onSucceeded: (...call) => void calls.push(call),
        ...options,
      })
      opened.push({ inbox, engine, calls })
      return { inbox, engine, calls }
    },
    close: async () => {
      await Promise.all(opened.map(({ inbox }) => inbox.drain({ timeoutMs: 100 })))
      await Promise.all(opened.map(({ engine }) => engine.close()))
      await service.close()
    },
  }
}

/** Sends a delivery, and gives the status of its response. */
export async function post(inbox: Inbox, url: string, event: object): Promise<number> {
  const response = await inbox.handle(new Request(url, { method: 'POST', body: JSON.stringify(event) }))
  return response.status
}
