import { type ClientName, type ClientSettings, createClient } from '../clients.ts'
import { settle } from '../harness/settle.ts'

/** One call that is aborted on its way. */
export interface AbortJob {
  client: ClientName
  settings: ClientSettings
  operation: 'read' | 'pay' | 'follow'
  /** From the start of the call to the abort. */
  abortAfterMs: number
  limitMs: number
}

/** `delayMs`: from the abort to the end, negative when it had ended before. `null`: not within the limit. */
export type AbortResult = { delayMs: number; how: string } | null

const job = JSON.parse(process.argv[2] ?? '') as AbortJob
const client = await createClient(job.client, job.settings)
const call = client[job.operation]
if (call === undefined) throw new TypeError(`${job.client} has no ${job.operation}.`)
const controller = new AbortController()
let abortedAt: number | undefined
setTimeout(() => {
  abortedAt = performance.now()
  controller.abort()
}, job.abortAfterMs)
const settled = await settle(call(controller.signal), job.abortAfterMs + job.limitMs)
const result: AbortResult =
  settled === undefined ? null : { delayMs: abortedAt === undefined ? -1 : settled.at - abortedAt, how: settled.how }
console.log(JSON.stringify(result))
process.exit()
