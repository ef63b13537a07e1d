/**
 * Opens a SQLite file and says so, waits until it is told to begin, claims many records in an order of its own, and
 * prints the keys that it got. Arguments: path of the file, number of records.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createSqliteStore } from 'modelrun/webhooks/sqlite'

const [path = '', count = '0'] = process.argv.slice(2)
const store = createSqliteStore({ path })
await store.migrate()
console.log('ready')
await once(process.stdin, 'data')

const keys = Array.from({ length: Number(count) }, (_, index) => `job-${index}`)
const shuffled = keys.map((key) => ({ key, order: Math.random() })).toSorted((a, b) => a.order - b.order)
for (const { key } of shuffled) {
  const result = await store.claim(key, { owner: randomUUID(), leaseMs: 60_000, fingerprint: '', payload: { key } })
  if (result.kind === 'acquired') console.log(key)
}
// A claim that was answered is on the disk: there is no need to close.
process.kill(process.pid, 'SIGKILL')
