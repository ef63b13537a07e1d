import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { resolveOptions } from '../options.ts'
import { serverOf } from '../reference-server.ts'
import { Service } from '../service/service.ts'
import { snapshotText } from './snapshot-text.ts'
import { takeSnapshot, viewSnapshot } from './take-snapshot.ts'

async function busyService() {
  const service = new Service(
    resolveOptions({ clock: 'manual', credits: 1_000_000, deliver: async () => new Response() }),
  )
  const server = serverOf(service)
  const client = apiCaller(server)
  const start = async (count: number, body: object) => {
    for (let started = 0; started < count; started++) await client.run('aurora-image', body)
  }
  await start(900, { sync: false })
  await start(100, { webhook_url: 'http://receiver.test/' })
  await server.clock.advance(60_000)
  server.script('aurora-image', [{ result: 'succeeded' }, { result: 'failed' }, { result: 'hang' }])
  await start(2, { sync: false })
  server.faults.add({ kind: 'server-error', times: 3, route: 'listModels' })
  return { service, server, client }
}

describe('the text of a snapshot', () => {
  it('is its JSON', async () => {
    const { service } = await busyService()
    const text = [...snapshotText(viewSnapshot(service))].join('')
    expect(JSON.parse(text)).toEqual(takeSnapshot(service))
  })

  it('comes in parts, none of which takes long to make', async () => {
    const { service } = await busyService()
    const parts = [...snapshotText(viewSnapshot(service))]
    const jobs = parts.map((part) => part.split('"requestId"').length - 1)
    expect(jobs.reduce((sum, count) => sum + count)).toBe(1_002)
    expect(Math.max(...jobs)).toBeLessThanOrEqual(400)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(80_000)
  })

  it('shows the moment at which it was started, whatever happens between two parts', async () => {
    const { service, server, client } = await busyService()
    const before = takeSnapshot(service)
    let text = ''
    for (const part of snapshotText(viewSnapshot(service))) {
      text += part
      const { job_id } = (await client.run('aurora-image', { sync: false })).body
      await client.get(`/v1/jobs/${before.jobs[0]?.id}`)
      await client.delete(`/v1/jobs/${job_id}`)
      server.createKey()
      server.faults.add({ kind: 'reset', times: 1, route: 'listModels' })
      await server.clock.advance(100_000)
    }
    expect(JSON.parse(text)).toEqual(before)
    const parts = snapshotText(viewSnapshot(service))
    const now = takeSnapshot(service)
    server.reset()
    expect(JSON.parse([...parts].join(''))).toEqual(now)
  })
})
