import { type ClientName, type ClientSettings, createClient } from '../clients.ts'
import { settle } from '../harness/settle.ts'

/** One call that must end by its own time limit. */
export interface TimeLimitJob {
  client: ClientName
  settings: ClientSettings
  operation: 'read' | 'follow'
  limitMs: number
}

/** `afterMs`: from the start of the call to its end. `null`: not within the limit. */
export type TimeLimitResult = { afterMs: number; how: string } | null

const job = JSON.parse(process.argv[2] ?? '') as TimeLimitJob
const client = await createClient(job.client, job.settings)
const call = client[job.operation]
if (call === undefined) throw new TypeError(`${job.client} has no ${job.operation}.`)
// Node loads its HTTP client at the first use of `fetch`, which takes 30 ms that are not the fault of a client.
await fetch('data:,')
const startedAt = performance.now()
const settled = await settle(call(), job.limitMs)
const result: TimeLimitResult = settled === undefined ? null : { afterMs: settled.at - startedAt, how: settled.how }
console.log(JSON.stringify(result))
process.exit()
