// The files that a run, a delivery, a request and a row of a batch pass, found by what runs.
import { Session } from 'node:inspector/promises'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'

const MODEL = 'aurora-image'
const INPUT = { prompt: 'a red fox' }

/** One way through the packages. */
export interface Way {
  name: string
  /** The file that it starts in. */
  entry: string
  /** Below `packages`, such as `sdk/src/client/client.ts`. */
  files: string[]
}

interface WayToMeasure extends Omit<Way, 'files'> {
  work(): Promise<unknown>
  /** The packages whose files count. */
  packages: readonly string[]
}

/** Performs each work twice, and finds the files that it passes. */
export async function measureWays(): Promise<Way[]> {
  const server = createReferenceServer({ clock: 'auto' })
  const client = new ModelRun(server.clientOptions())
  const delivery = await deliveries(client)
  const batch = await batches(client)
  const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' }
  const request = () => ({ method: 'POST', headers, body: JSON.stringify({ input: INPUT }) })
  const ways: WayToMeasure[] = [
    {
      name: 'client.run',
      entry: 'sdk/src/client/client.ts',
      work: () => client.run(MODEL, INPUT, { mode: 'async' }),
      packages: ['sdk', 'kit'],
    },
    { name: 'delivery to its handler', entry: 'sdk/src/webhooks/inbox.ts', ...delivery, packages: ['sdk', 'kit'] },
    {
      name: 'POST run in the server',
      entry: 'reference-server/src/reference-server.ts',
      work: () => server.fetch(`${server.baseUrl}/v1/models/${MODEL}/run`, request()),
      packages: ['reference-server', 'kit'],
    },
    {
      name: 'row of a batch',
      entry: 'durable/src/runs/create-runs.ts',
      ...batch,
      packages: ['durable', 'sdk', 'contract', 'kit'],
    },
  ]
  const measured: Way[] = []
  for (const { name, entry, work, packages } of ways) {
    const files = await filesOf(work)
    measured.push({ name, entry, files: files.filter((file) => packages.includes(file.split('/')[0] ?? '')) })
  }
  await delivery.end()
  await batch.end()
  return measured
}

/** The files of which at least one function runs during the second of two equal pieces of work. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  await work()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  const ran = result.filter(({ functions }) =>
    // The code of the module itself is a function without a name that starts at 0.
    functions.some(({ functionName, ranges: [range] }) => {
      return range !== undefined && range.count > 0 && (functionName !== '' || range.startOffset > 0)
    }),
  )
  return ran.flatMap(({ url }) => /\/packages\/(.+)$/.exec(url)?.[1] ?? []).toSorted()
}

async function deliveries(client: ModelRun) {
  const finishedJob = async () => {
    const job = await client.submit(MODEL, INPUT)
    const { output } = await job.result()
    return { job_id: job.id, status: 'succeeded', output, credits_used: 3, completed_at: new Date().toISOString() }
  }
  const jobs = [await finishedJob(), await finishedJob()]
  let handled = Promise.withResolvers<void>()
  const inbox = createInbox({ client, onSucceeded: () => handled.resolve() })
  inbox.start()
  const work = async () => {
    handled = Promise.withResolvers()
    const body = JSON.stringify(jobs.pop())
    await inbox.handle(new Request('https://app.example/hook', { method: 'POST', body }))
    await handled.promise
  }
  return { work, end: () => inbox.drain() }
}

async function batches(client: ModelRun) {
  const engine = createSqliteEngine({ path: ':memory:' })
  await engine.setup()
  const runs = createRuns({ engine, client, name: 'measure' })
  let key = 0
  const work = () => Array.fromAsync(runs.runEach(MODEL, [{ key: `row-${++key}`, input: INPUT }]))
  return { work, end: () => engine.close() }
}
