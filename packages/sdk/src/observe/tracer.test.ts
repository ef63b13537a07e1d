import { fixtures } from '@modelrun/contract/fixtures'
import { describe, expect, test } from 'vitest'
import { JobFailedError } from '../errors/job-errors.ts'
import { caught } from '../testing/caught.ts'
import { json } from '../testing/scripted-service.ts'
import { createTestClient } from '../testing/test-client.ts'
import type { Tracer } from './tracer.ts'

/** A tracer that writes down what happens to its spans. */
function recordingTracer(): { tracer: Tracer; lines: string[] } {
  const lines: string[] = []
  return {
    lines,
    tracer: {
      startActiveSpan: (name, { attributes }, work) => {
        lines.push(`start ${name} ${Object.entries(attributes).join()}`)
        return work({
          setAttribute: (key, value) => lines.push(`set ${name} ${key},${value}`),
          recordException: (error) => lines.push(`error ${name} ${error.name}`),
          end: () => lines.push(`end ${name}`),
        })
      },
    },
  }
}

describe('the spans of a run', () => {
  test('are one for the run, one for its submission, and one for each poll', async () => {
    const { tracer, lines } = recordingTracer()
    const steps = [json(202, fixtures.runs.queued.body), json(200, fixtures.jobs.succeeded.body)]
    const { client, clock } = createTestClient(steps, { tracer })
    await clock.run(client.run('aurora-image', {}))
    const { job_id } = fixtures.runs.queued.body
    expect(lines).toEqual([
      'start modelrun.run modelrun.model_id,aurora-image',
      'start modelrun.submit modelrun.model_id,aurora-image',
      `set modelrun.submit modelrun.job_id,${job_id}`,
      'end modelrun.submit',
      `start modelrun.poll modelrun.job_id,${job_id}`,
      'set modelrun.poll modelrun.job_status,succeeded',
      'end modelrun.poll',
      'end modelrun.run',
    ])
  })

  test('record the error that ends the run, and end themselves', async () => {
    const { tracer, lines } = recordingTracer()
    const steps = [json(202, fixtures.runs.queued.body), json(200, fixtures.jobs.failed.body)]
    const { client, clock } = createTestClient(steps, { tracer })
    await caught(clock.run(client.run('aurora-image', {})), JobFailedError)
    expect(lines.slice(-2)).toEqual(['error modelrun.run JobFailedError', 'end modelrun.run'])
  })
})
