import { setTimeout as sleep } from 'node:timers/promises'
import { createRuns, type Engine } from '@modelrun/durable'
import type { ReferenceServer } from '@modelrun/reference-server'
import type { ModelRun } from 'modelrun'
import { createInbox, type Inbox, type InboxOptions } from 'modelrun/webhooks'
import { jobOf } from '../durable/sent-runs.ts'

const MODEL = 'aurora-image'
const SECRET = 'a secret of thirty-two bytes, or more'

/** In the order in which they were added. */
export const KEYS = ['finished', 'failed', 'rejected', 'lost', 'polled', 'sending', 'waiting']

/** A batch and an inbox under way, on one engine. */
export interface Story {
  engine: Engine
  client: ModelRun
  server: ReferenceServer
  /** From now on the run `sending` reaches the service and its response never comes; polls get none either. */
  loseResponses(): void
}

/** The inbox that the story is about, with the same settings in each version. */
export function openInbox(engine: Engine, options: InboxOptions): Inbox {
  const settings = { secret: SECRET, publicUrl: 'https://app.example.com/webhooks', name: 'inbox', concurrency: 1 }
  return createInbox({
    engine,
    lockMs: 2_000,
    maxAttempts: 2,
    backoffMs: 50,
    onHandlerError: () => {},
    ...settings,
    ...options,
  })
}

export function inputOf(key: string): [model: string, input: { prompt: string }] {
  return [key === 'rejected' ? 'no-such-model' : MODEL, { prompt: key }]
}

/** Leaves a delivery that was handled, a dead one, one whose handler runs, one that waits, and one that does not come. */
export async function fillInbox(story: Story): Promise<() => Promise<void>> {
  const { engine, client, server } = story
  const entered: string[] = []
  const inbox = openInbox(engine, {
    client,
    onSucceeded: async (_, { context }) => {
      const order = orderOf(context)
      entered.push(order)
      if (order === 'dead') throw new Error('The disk is full.')
      if (order === 'running') await new Promise(() => {})
    },
  })
  server.webhooks.deliver((request) => inbox.handle(request))
  const submit = (order: string) => {
    const prepare: Inbox['prepare'] = (run) => inbox.prepare({ ...run, context: { order } })
    return client.submit(MODEL, { prompt: `inbox ${order}` }, { webhook: { ...inbox, prepare } })
  }
  await submit('done')
  await until(() => entered.includes('done'))
  await submit('dead')
  await until(async () => (await inbox.deadLetters.list()).length === 1)
  await submit('running')
  await until(() => entered.includes('running'))
  await submit('waiting')
  await until(async () => (await engine.count('inbox:results')).waiting === 1)
  return async () => {
    await client.submit(MODEL, { prompt: 'inbox expected' })
    const order = { context: { order: 'expected' }, pollInMs: 5_000 }
    await inbox.expect(String(jobOf(server, 'inbox expected')), order)
  }
}

export function orderOf(context: unknown): string {
  return String(Object(context).order)
}

/** Leaves a run in each state that a batch has. */
export async function fillBatch({ engine, client, server, loseResponses }: Story): Promise<void> {
  const runs = createRuns({ engine, client, concurrency: 1, lockMs: 1_000, pollRate: { max: 100, perMs: 1_000 } })
  const add = (key: string) => runs.add(key, ...inputOf(key))
  const reaches = (key: string, state: string) => until(async () => (await runs.get(key))?.state === state)
  runs.start()
  await add('finished')
  await reaches('finished', 'succeeded')
  server.script(MODEL, [{ result: 'failed', error: { code: 'PROVIDER_FAILURE', message: 'out of paint' } }])
  await add('failed')
  await reaches('failed', 'failed')
  await add('rejected')
  await reaches('rejected', 'rejected')
  server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
  await add('lost')
  await reaches('lost', 'unknown')
  loseResponses()
  server.script(MODEL, [{ result: 'succeeded', after_polls: 0 }])
  await add('polled')
  await until(async () => (await runs.get('polled'))?.jobId !== undefined)
  await add('sending')
  await until(() => server.journal.entries({ kind: 'request' }).some((one) => JSON.stringify(one).includes('sending')))
  await add('waiting')
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}
