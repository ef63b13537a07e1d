import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

function runsOf(server: ReferenceServer) {
  const caller = apiCaller(server)
  return async (body: object) => (await caller.post('/_reference/runs', body)).body
}

function requestsOf({ journal }: ReferenceServer): string[] {
  return journal
    .entries({ kind: 'request' })
    .flatMap((entry) =>
      entry.kind === 'request' && entry.route !== 'control' ? `${entry.method} ${entry.status}` : [],
    )
}

const INPUT = { prompt: 'a red fox' }

describe('a run that the server sends as a client', () => {
  it.each(['manual', 'auto'] as const)('is one request, whose job ends as time passes (%s)', async (clock) => {
    const server = createReferenceServer({ clock })
    const run = runsOf(server)
    server.script('aurora-image', [{ result: 'succeeded', after_ms: 20_000 }])
    const { job_id, status } = await run({ model: 'aurora-image', input: INPUT, sync: false })
    expect(status).toBe(202)
    await server.clock.advance(60_000)
    expect(server.job(String(job_id)).status).toBe('succeeded')
    expect(requestsOf(server)).toEqual(['POST 202'])
  })

  it.each(['reset', 'empty-reply'] as const)('whose connection breaks (%s) is not sent again', async (kind) => {
    const server = createReferenceServer({ clock: 'manual' })
    const run = runsOf(server)
    server.faults.add({ kind, when: 'after', route: 'runModel', times: 1 })
    const body = await run({ model: 'aurora-image', input: INPUT, sync: false })
    expect(body).toEqual({ job_id: expect.stringMatching(/^job_/), message: expect.stringContaining(kind) })
    expect(requestsOf(server)).toEqual(['POST undefined'])
  })

  it('that waits for its job shows the job meanwhile', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const run = runsOf(server)
    expect(await run({ model: 'aurora-image', input: INPUT })).toEqual({ job_id: expect.stringMatching(/^job_/) })
  })

  it('gives the error of the service', async () => {
    const run = runsOf(createReferenceServer())
    expect(await run({ model: 'none', input: INPUT })).toMatchObject({ status: 404 })
    expect(await run({ model: 'aurora-image', input: {} })).toMatchObject({ status: 400, message: expect.any(String) })
  })
})
