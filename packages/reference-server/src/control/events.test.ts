import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import { createReferenceServer, type ReferenceServer } from '../reference-server.ts'

interface Changes {
  now_ms: number
  reset: boolean
  jobs: { job_id: string; status: string }[]
  entries: { kind: string; job_id?: string }[]
  clock: { mode: string }
  pending: { job_id: string; held: boolean }[]
}

/** The events of a server, one at a time. */
async function follow(server: ReferenceServer) {
  const response = await server.fetch('/_reference/events')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const next = async (): Promise<Changes | undefined> => {
    const part = await reader?.read()
    const data = /^event: changes\ndata: (.*)\n\n$/.exec(part?.value ?? '')?.[1]
    return data === undefined ? undefined : JSON.parse(data)
  }
  return { response, next, stop: () => reader?.cancel() }
}

describe('events over the control API', () => {
  it('start with the state of the clock, and report each job that changes', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { response, next, stop } = await follow(server)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(await next()).toMatchObject({ clock: { mode: 'manual' }, jobs: [], pending: [] })
    const { job_id } = (await apiCaller(server).run('aurora-image', { sync: false })).body
    expect((await next())?.jobs).toMatchObject([{ job_id, status: 'queued' }])
    await server.clock.advance(5_000)
    const ended = await next()
    expect(ended?.jobs).toMatchObject([{ job_id, status: 'succeeded', charged: 4 }])
    expect(ended?.entries.map(({ kind }) => kind)).toContain('job')
    await stop()
  })

  it('report jobs that end by themselves, also without a poll', async () => {
    const server = createReferenceServer({ clock: { scale: 1_000 } })
    const { next, stop } = await follow(server)
    await next()
    await apiCaller(server).run('aurora-image', { sync: false })
    const seen: string[] = []
    while (seen.at(-1) !== 'succeeded') for (const { status } of (await next())?.jobs ?? []) seen.push(status)
    await stop()
  })

  it('have no bodies and no headers: those are read for one job', async () => {
    const server = createReferenceServer()
    server.transport.set({ isShown: true })
    const { next, stop } = await follow(server)
    await next()
    await apiCaller(server).run('aurora-image', { sync: false })
    const entry = (await next())?.entries.find(({ kind }) => kind === 'request')
    expect(Object.keys(entry ?? {})).not.toContain('request_body')
    expect(Object.keys(entry ?? {})).not.toContain('request_headers')
    await stop()
  })

  it('say that something was forgotten, and what is on its way', async () => {
    const server = createReferenceServer({ clock: 'manual' })
    const { next, stop } = await follow(server)
    await next()
    server.webhooks.script({ when: 'after-next' })
    const { job_id } = (await apiCaller(server).run('aurora-image', { webhook_url: 'https://app.test/hook?token=x' }))
      .body
    await server.clock.advance(5_000)
    let changes = await next()
    if (changes?.pending.length === 0) changes = await next()
    expect(changes?.pending).toMatchObject([{ job_id, url: 'https://app.test/hook?[redacted]', held: true }])
    server.reset()
    expect(await next()).toMatchObject({ reset: true, jobs: [], pending: [] })
    await stop()
  })

  it('end with the server', async () => {
    const server = createReferenceServer()
    const { next } = await follow(server)
    await next()
    await server.close()
    expect(await next()).toBeUndefined()
  })
})
