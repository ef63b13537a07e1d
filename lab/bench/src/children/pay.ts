import { type ClientName, type ClientSettings, createClient } from '../clients.ts'
import { settle } from '../harness/settle.ts'

/** One paid call. */
export interface PayJob {
  client: ClientName
  settings: ClientSettings
  limitMs: number
}

/** How it ended; `null`: not within the limit. */
export type PayResult = string | null

const job = JSON.parse(process.argv[2] ?? '') as PayJob
const client = await createClient(job.client, job.settings)
const result: PayResult = (await settle(client.pay(), job.limitMs))?.how ?? null
console.log(JSON.stringify(result))
process.exit()
