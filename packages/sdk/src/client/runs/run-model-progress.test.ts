import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { caught } from '../../../test/caught.ts'
import { settle } from '../../../test/manual-clock.ts'
import { json, silent } from '../../../test/scripted-service.ts'
import { createTestClient } from '../../../test/test-client.ts'
import { AbortedError } from '../errors/transport-errors.ts'
import type { RunOptions } from './run-options.ts'

const { completed, processingSlow, queued } = fixtures.runs
const succeeded = json(200, fixtures.jobs.succeeded.body)
const running = json(200, fixtures.jobs.processing.body)

const INPUT = { prompt: 'a red fox' }

describe('the progress of client.run (section 3)', () => {
  test.each([
    ['async', [json(202, queued.body), running, running, succeeded], ['queued', 'processing', 'succeeded']],
    ['async', [json(202, queued.body), json(200, { data: { status: 'queued' } }), succeeded], ['queued', 'succeeded']],
    ['sync', [json(202, processingSlow.body), running, succeeded], ['processing', 'succeeded']],
    ['sync', [json(200, completed.body)], ['succeeded']],
  ] as const)(
    'notifies onStatus of each state from the response to the run on (mode %s)',
    async (mode, steps, states) => {
      const { client, clock } = createTestClient([...steps])
      const heard: [string, string][] = []
      const onStatus: RunOptions['onStatus'] = ({ status }, job) => heard.push([status, job.id])
      const { job_id } = await clock.run(client.run('aurora-image', INPUT, { mode, onStatus }))
      expect(heard).toEqual(states.map((status) => [status, job_id]))
    },
  )

  test('notifies onStatus of queued as soon as the service has responded, before any poll', async () => {
    const { client, clock, service } = createTestClient([json(202, queued.body), running, succeeded])
    const at: number[] = []
    const startedAt = clock.now()
    await clock.run(client.run('aurora-image', INPUT, { onStatus: () => at.push(clock.now() - startedAt) }))
    expect(at[0]).toBe(0)
    expect(service.received[0]?.body).toMatchObject({ sync: false })
  })

  test('gives the job of a run that is aborted after its response, whatever the mode', async () => {
    const controller = new AbortController()
    const { client, service } = createTestClient([json(202, queued.body), silent()])
    const work = caught(client.run('aurora-image', INPUT, { signal: controller.signal }), AbortedError)
    await settle()
    controller.abort()
    expect(await work).toMatchObject({ submission: 'accepted', job: { id: queued.body.job_id } })
    expect(service.received[0]?.body).toMatchObject({ sync: false })
  })

  test('gives the result although onStatus throws', async () => {
    const { client } = createTestClient([json(200, completed.body)])
    const onStatus = () => {
      throw new RangeError('a fault of the caller')
    }
    await expect(client.run('aurora-image', INPUT, { onStatus })).resolves.toMatchObject({ status: 'succeeded' })
  })
})
