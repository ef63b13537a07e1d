import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test, vi } from 'vitest'
import { settle } from '../../test/manual-clock.ts'
import { errorResponse, json, type Step } from '../../test/scripted-service.ts'
import { createTestClient } from '../../test/test-client.ts'
import { PageRun } from './page-run.ts'
import { createRunMemory, type RunMemory } from './saved-run.ts'

const { queued } = fixtures.runs
const accepted = json(202, queued.body)
const running = json(200, fixtures.jobs.processing.body)
const succeeded = json(200, fixtures.jobs.succeeded.body)
const INPUT = { prompt: 'a red fox' }

function openPage(steps: readonly Step[], saved?: ReturnType<RunMemory['read']>) {
  const write = (run?: typeof saved) => void Object.assign(memory, { saved: run })
  const memory = { saved, read: () => memory.saved, write }
  const harness = createTestClient(steps)
  const run = new PageRun(harness.client, memory)
  const statuses: string[] = []
  const leave = run.subscribe(() => statuses.push(run.state.progress?.status ?? run.state.status))
  const methods = () => harness.service.received.map(({ method }) => method)
  const until = (status: string) =>
    harness.clock.run(vi.waitUntil(() => run.state.status === status, { timeout: 100_000, interval: 1 }))
  return { ...harness, run, memory, statuses, leave, methods, until }
}

describe('PageRun', () => {
  test('sends one run for two clicks, and shows each step', async () => {
    const { run, statuses, methods, until } = openPage([accepted, running, succeeded])
    run.start('aurora-image', INPUT)
    run.start('aurora-image', INPUT)
    await until('succeeded')
    expect(methods()).toEqual(['POST', 'GET', 'GET'])
    expect([...new Set(statuses)]).toEqual(['sending', 'queued', 'processing', 'succeeded'])
    expect(run.state.result?.output).toEqual(fixtures.jobs.succeeded.body.data.output)
  })

  test('keeps the id of the job and nothing of the input, until it is reset', async () => {
    const { run, memory, clock } = openPage([accepted, running])
    const startedAt = clock.now()
    run.start('aurora-image', INPUT)
    expect(memory.saved).toEqual({ startedAt })
    await settle()
    const { job_id, model_id, request_id } = queued.body
    expect(memory.saved).toEqual({ startedAt, job: { job_id, model_id, request_id } })
    run.reset()
    expect([memory.saved, run.state.status]).toEqual([undefined, 'idle'])
  })

  test('ignores the response to a run that was reset', async () => {
    const { run, memory } = openPage([accepted])
    run.start('aurora-image', INPUT)
    run.reset()
    await settle()
    expect([memory.saved, run.state.status]).toEqual([undefined, 'idle'])
  })

  test('does not poll without a component, and polls at once for the next one', async () => {
    const { run, methods, leave } = openPage([accepted, succeeded])
    leave()
    run.start('aurora-image', INPUT)
    await settle()
    expect([run.state.status, methods()]).toEqual(['running', ['POST']])
  })

  test('polls the job that an earlier load of the page has started', async () => {
    const { run, methods, until } = openPage([succeeded], { startedAt: 1, job: { job_id: 'job_1' } })
    expect(run.state.progress).toEqual({ status: 'resuming', jobId: 'job_1', startedAt: 1, isCancelling: false })
    await until('succeeded')
    expect(methods()).toEqual(['GET'])
  })

  test('sends nothing for a run that was left before its response', async () => {
    const { run, service } = openPage([succeeded], { startedAt: 1 })
    expect(run.state).toMatchObject({ status: 'unknown', error: { submission: 'unknown' } })
    expect(service.received).toEqual([])
  })

  test('takes a job that cannot be polled for unknown, and forgets a run that was rejected', async () => {
    const lost = openPage([errorResponse(404, 'NOT_FOUND')], { startedAt: 1, job: { job_id: 'job_1' } })
    await settle()
    expect([lost.run.state.status, lost.memory.saved?.job?.job_id]).toEqual(['unknown', 'job_1'])
    const rejected = openPage([errorResponse(422, 'NO')])
    rejected.run.start('aurora-image', INPUT)
    await settle()
    expect([rejected.run.state.status, rejected.memory.saved]).toEqual(['failed', undefined])
  })

  test('cancels once a run that has no job yet, when it gets one', async () => {
    const cancelled = json(200, { data: { status: 'cancelled' } })
    const { run, methods, until } = openPage([accepted, cancelled, cancelled])
    run.start('aurora-image', INPUT)
    run.cancel()
    run.cancel()
    expect(run.state.progress?.isCancelling).toBe(true)
    await until('cancelled')
    expect(methods()).toEqual(['POST', 'DELETE', 'GET'])
  })
  test('cancels a run that was cancelled and then reset while it was sent, and no other one', async () => {
    const { run, methods, service } = openPage([accepted, json(200, { data: { status: 'cancelled' } })])
    run.start('aurora-image', INPUT)
    run.cancel()
    run.reset()
    await settle()
    expect([run.state.status, methods()]).toEqual(['idle', ['POST', 'DELETE']])
    expect(service.received[1]?.path).toBe(`/v1/jobs/${queued.body.job_id}`)
  })
})

describe('createRunMemory', () => {
  test('works without a storage', () => {
    const memory = createRunMemory('aurora-image', '/api/modelrun')
    memory.write({ startedAt: 1 })
    expect(memory.read()).toBeUndefined()
  })

  test('keeps the runs of two proxies apart, of one model too', () => {
    const stored = new Map<string, string>()
    const setItem = (name: string, text: string) => stored.set(name, text)
    vi.stubGlobal('sessionStorage', { getItem: (name: string) => stored.get(name), setItem })
    createRunMemory('aurora-image', '/api/images').write({ startedAt: 1 })
    expect(createRunMemory('aurora-image', '/api/videos').read()).toBeUndefined()
    expect(createRunMemory('aurora-image', '/api/images').read()).toEqual({ startedAt: 1 })
    vi.unstubAllGlobals()
  })

  test.each([
    '',
    'null',
    '{',
    '[]',
    '{"startedAt":"1"}',
    '{"startedAt":1e999}',
    ...['null', '{}', '"job_1"', '{"job_id":7}', '{"job_id":""}'].map((job) => `{"startedAt":1,"job":${job}}`),
  ])('reads no run from %j', (text) => {
    vi.stubGlobal('sessionStorage', { getItem: () => text })
    expect(createRunMemory('aurora-image', '/api/modelrun').read()).toBeUndefined()
  })
})
