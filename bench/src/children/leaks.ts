import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ClientName, type ClientSettings, createClient } from '../clients.ts'

/** Many calls that share one signal. */
export interface LeaksJob {
  client: ClientName
  settings: ClientSettings
  operation: 'read' | 'follow'
  calls: number
  concurrency: number
}

/** What they left behind. */
export interface LeaksResult {
  listeners: number
  /** After a garbage collection: some clients clean up in finalizers. */
  listenersAfterGc: number
  /** What keeps the process alive, but for its own output. */
  resources: string[]
}

const job = JSON.parse(process.argv[2] ?? '') as LeaksJob
const client = await createClient(job.client, job.settings)
const call = client[job.operation]
if (call === undefined) throw new TypeError(`${job.client} has no ${job.operation}.`)
const { signal } = new AbortController()
// The warnings about too many listeners would only repeat what is counted.
process.removeAllListeners('warning')
process.on('warning', () => {})

let left = job.calls
const worker = async () => {
  while (left-- > 0) await call(signal)
}
const resourcesBefore = process.getActiveResourcesInfo()
await Promise.all(Array.from({ length: job.concurrency }, worker))

const listeners = getEventListeners(signal, 'abort').length
for (let turn = 0; turn < 5; turn++) {
  globalThis.gc?.()
  await nextTurn()
}
const resources = process.getActiveResourcesInfo()
for (const name of resourcesBefore) {
  const index = resources.indexOf(name)
  if (index >= 0) resources.splice(index, 1)
}
const result: LeaksResult = { listeners, listenersAfterGc: getEventListeners(signal, 'abort').length, resources }
console.log(JSON.stringify(result))
// No process.exit(): whether the process ends by itself is part of the question.
