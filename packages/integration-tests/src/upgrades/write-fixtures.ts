// Writes what this version stores, for the test that opens it with every later version: see docs/releasing.md.
import { writeFile } from 'node:fs/promises'
import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { ENGINE_STORES } from '../durable/engine-stores.ts'
import { openEngine } from '../durable/open-engine.ts'
import { jobOf } from '../durable/sent-runs.ts'
import { fillBatch, fillInbox } from './fixture-story.ts'
import { dumpStore, fixturePath } from './stored-fixtures.ts'

const version = process.argv[2]
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Name the version, such as 0.1.0.')

for (const { kind, start } of ENGINE_STORES) {
  const { engineAt, stop } = await start()
  const server = createReferenceServer({ clock: 'system', latency: 0 })
  const options = server.clientOptions()
  let isLost = false
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (isLost && String(url).includes('/v1/jobs/')) return new Promise(() => {})
    const response = await options.fetch(url, init)
    return isLost && String(init?.body).includes('sending') ? new Promise(() => {}) : response
  }
  const engine = openEngine(engineAt, () => {})
  await engine.setup()
  const client = new ModelRun({ ...options, fetch, maxRetries: 0 })
  const loseResponses = () => {
    isLost = true
  }
  const story = { engine, client, server, loseResponses }
  const expectDelivery = await fillInbox(story)
  await fillBatch(story)
  await expectDelivery()
  await dumpStore({ version, kind }, engineAt.at)
  const jobs = { lost: jobOf(server, 'lost'), sending: jobOf(server, 'sending') }
  await writeFile(fixturePath({ version, kind }, 'state.json'), JSON.stringify(server.snapshot()))
  await writeFile(fixturePath({ version, kind }, 'jobs.json'), JSON.stringify(jobs))
  console.log(`${version} ${kind}`)
  await stop()
}
// The handler and the request that never end are part of what is stored.
process.exit(0)
