/**
 * `npm run measure`: the size of the project. Shipped lines and lines of tests of each package, the exported names, and how
 * many files a reader passes on four ways through the packages (docs/architecture.md); `-- --files` lists them.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'

const MODEL = 'aurora-image'
const INPUT = { prompt: 'a red fox' }

const tracked = execFileSync('git', ['ls-files', 'packages'], { encoding: 'utf8' }).split('\n')
const sources = tracked.filter((file) => /^packages\/[^/]+\/(src|test)\/.*\.tsx?$/.test(file))
const isTest = (file: string) => /\.(test|test-d)\.tsx?$|^packages\/([^/]+\/test|integration-tests)\//.test(file)
const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1
const sum = (files: readonly string[]) => files.reduce((total, file) => total + linesOf(file), 0)

function measureLines(name: string, files: readonly string[]) {
  const shipped = files.filter((file) => !isTest(file))
  return { package: name, files: shipped.length, shipped: sum(shipped), tests: sum(files.filter(isTest)) }
}

/** The files of `packages` of which at least one function runs during the second of two equal pieces of work. */
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
  return ran.flatMap(({ url }) => /\/packages\/(.+)$/.exec(url)?.[1] ?? [])
}

const server = createReferenceServer({ clock: 'auto' })
const client = new ModelRun(server.clientOptions())

async function finishedJob() {
  const job = await client.submit(MODEL, INPUT)
  const { output } = await job.result()
  return { job_id: job.id, status: 'succeeded', output, credits_used: 3, completed_at: new Date().toISOString() }
}

/** The files of each way, of the packages that it leads through. */
async function measureWays() {
  const jobs = [await finishedJob(), await finishedJob()]
  let handled = Promise.withResolvers<void>()
  const inbox = createInbox({ client, onSucceeded: () => handled.resolve() })
  inbox.start()
  const receive = async () => {
    handled = Promise.withResolvers()
    const body = JSON.stringify(jobs.pop())
    await inbox.handle(new Request('https://app.example/hook', { method: 'POST', body }))
    await handled.promise
  }
  const engine = createSqliteEngine({ path: ':memory:' })
  await engine.setup()
  const runs = createRuns({ engine, client, name: 'measure' })
  const posted = () => ({
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: INPUT }),
  })
  let key = 0
  const ways: Record<string, [work: () => Promise<unknown>, of: RegExp]> = {
    'client.run': [() => client.run(MODEL, INPUT, { mode: 'async' }), /^(sdk|kit)\//],
    'delivery to its handler': [receive, /^(sdk|kit)\//],
    'POST run in the server': [
      () => server.fetch(`${server.baseUrl}/v1/models/${MODEL}/run`, posted()),
      /^(reference-server|kit)\//,
    ],
    'row of a batch': [
      () => Array.fromAsync(runs.runEach(MODEL, [{ key: `row-${++key}`, input: INPUT }])),
      /^(sdk|durable|kit|contract)\//,
    ],
  }
  const rows: object[] = []
  for (const [way, [work, of]] of Object.entries(ways)) {
    const files = (await filesOf(work)).filter((file) => of.test(file))
    if (process.argv.includes('--files')) console.log([way, ...files].join('\n  '))
    rows.push({ way, files: files.length })
  }
  await inbox.drain()
  await engine.close()
  return rows
}

const packages = [...new Set(sources.map((file) => file.split('/')[1] ?? ''))]
const rows = packages.map((name) =>
  measureLines(
    name,
    sources.filter((file) => file.startsWith(`packages/${name}/`)),
  ),
)
console.table([...rows, measureLines('all', sources)])

const names = readFileSync('packages/integration-tests/src/public-names.txt', 'utf8')
console.log(`${names.match(/^ {2}(value|type )/gm)?.length} exported names in ${names.match(/^\S/gm)?.length} entries`)
console.table(await measureWays())
