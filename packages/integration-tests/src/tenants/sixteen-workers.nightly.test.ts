import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { DeliveryRecord, JournalEntry } from '@modelrun/reference-server'
import { type ListeningServer, listen } from '@modelrun/reference-server/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'
import type { ForeignResult, TenantResult, TenantTask } from './tenant-worker.ts'

const WORKERS = 16
const PRICE = 4 // of aurora-image

/** What a tenant left behind, by the report of the server. */
interface Tenant {
  result: TenantResult
  credits: number
  entries: readonly JournalEntry[]
  deliveries: readonly DeliveryRecord[]
  foreign: ForeignResult
}

async function message<Value>(worker: Worker): Promise<Value> {
  const [value] = (await once(worker, 'message')) as [Value] // what the worker's program sends
  return value
}

describe('one server for 16 workers at once', () => {
  // At this speed a receiver behind a socket would have 10 ms to respond.
  const deliver = async () => new Response(null, { status: 204 })
  const server = createCheckedServer({ clock: { scale: 1_000 }, strict: true, deliver })
  const tenants: Tenant[] = []
  let listening: ListeningServer

  beforeAll(async () => {
    listening = await listen(server)
    const workers = Array.from({ length: WORKERS }, (_, index) => {
      const webhookUrl = `https://receiver.test/${index}`
      const workerData: TenantTask = { url: listening.url, webhookUrl, credits: 100 + index }
      return new Worker(new URL('./tenant-worker.ts', import.meta.url), { workerData })
    })
    await Promise.all(workers.map((worker) => message(worker)))
    const results = workers.map((worker) => message<TenantResult>(worker))
    for (const worker of workers) worker.postMessage('go')
    const seen = await Promise.all(results)
    const foreign = workers.map((worker) => message<ForeignResult>(worker))
    const allIds = seen.flatMap(({ jobIds }) => jobIds)
    for (const [index, worker] of workers.entries()) {
      worker.postMessage(allIds.filter((id) => !seen[index]?.jobIds.includes(id)))
    }
    const foreignSeen = await Promise.all(foreign)
    for (let count = 0; count < WORKERS; count++) await server.webhooks.next({ timeoutMs: 5_000 })
    for (const [index, result] of seen.entries()) {
      const { key } = result
      tenants.push({
        result,
        credits: server.credits(key),
        entries: server.journal.entries({ key }),
        deliveries: server.webhooks.deliveries(key),
        foreign: foreignSeen[index] ?? { statuses: [] },
      })
    }
    await Promise.all(workers.map((worker) => worker.terminate()))
  }, 60_000)

  afterAll(async () => {
    await listening.close()
    await server.close()
  })

  it('gives each its own key, scripts, faults, charges and reset', () => {
    expect(new Set(tenants.map(({ result }) => result.key)).size).toBe(WORKERS)
    for (const [index, { result, credits }] of tenants.entries()) {
      const left = 100 + index - PRICE
      expect(result).toMatchObject({
        statuses: ['failed', 'cancelled', 'succeeded'],
        lists: [500, 200],
        beforeReset: 404,
      })
      expect([result.left, credits]).toEqual([left, left])
    }
  })

  it('shows none the jobs of the others', () => {
    for (const { foreign } of tenants) {
      expect(foreign.statuses).toHaveLength((WORKERS - 1) * 3)
      expect(new Set(foreign.statuses)).toEqual(new Set([404]))
    }
  })

  it('keeps a journal and deliveries of each', () => {
    for (const [index, { result, entries, deliveries }] of tenants.entries()) {
      const ids = entries.flatMap((entry) => (entry.kind === 'note' ? [] : (entry.job_id ?? [])))
      expect(new Set(ids)).toEqual(new Set(result.jobIds))
      expect(deliveries).toMatchObject([{ job_id: result.jobIds[2], outcome: 'delivered' }])
      expect(deliveries[0]?.url).toMatch(new RegExp(`/${index}$`))
    }
  })

  it('leaves nothing over, and passes its own audit', () => {
    for (const { result } of tenants) expect(server.report(result.key)).toMatchObject({ isClean: true })
  })
})
