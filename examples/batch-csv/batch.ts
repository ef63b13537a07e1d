/** `node batch.ts prompts.csv results.csv`: a run for each row. Stop it at any moment and start it again. */
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRuns } from '@modelrun/durable'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { parse } from 'csv-parse'
import { AbortedError, ModelRun } from 'modelrun'

/** A row of the input. */
interface Row {
  name: string
  prompt: string
  image_size: string
}

const [inputs = 'prompts.csv', results = 'results.csv'] = process.argv.slice(2)

const engine = createSqliteEngine({ path: `${results}.db` })
await engine.setup()
const runs = createRuns({ engine, client: new ModelRun(), name: 'rows', maxCredits: 1_000, concurrency: 4 })

/** The name of a row is the key of its run: a row of the same name is paid once. */
async function* readItems() {
  const rows: AsyncIterable<Row> = createReadStream(inputs).pipe(parse({ columns: true, bom: true }))
  for await (const { name: key, ...input } of rows) yield { key, input }
}

// Ends the loop. `engine.close()` waits until the runs that are being sent are stored.
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())

const lines = [['name', 'state', 'url', 'error']]
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
try {
  for await (const { item, run } of runs.runEach('aurora-image', readItems(), { signal: stop.signal })) {
    lines.push([item.key, run.state, run.output?.items[0]?.url ?? '', run.error?.message ?? ''])
    console.log(item.key, run.state)
  }
  await writeFile(results, lines.map((line) => `${line.map(quote).join()}\n`).join(''))
  const { credits, unknown } = await runs.progress()
  console.log(`${lines.length - 1} rows, ${credits} credits, ${unknown} unknown`)
} catch (error) {
  if (!(error instanceof AbortedError)) throw error
  console.error('Stopped. The same command continues.')
  process.exitCode = 1
} finally {
  await engine.close()
}
