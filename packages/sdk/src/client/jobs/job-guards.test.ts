import type { Job } from '@modelrun/contract'
import { expect, it } from 'vitest'
import { isEnded, isFailed, isSucceeded } from './job-guards.ts'

const output = { type: 'image', items: [] }
const error = { code: 'PROVIDER_FAILURE', message: 'no' }

it.each<[Job, boolean[]]>([
  [{ status: 'succeeded', output }, [true, false, true]],
  [{ status: 'completed', output }, [true, false, true]],
  [{ status: 'succeeded' }, [false, false, true]],
  [{ status: 'failed', error }, [false, true, true]],
  [{ status: 'failed' }, [false, false, true]],
  // As a service may send it.
  [{ status: 'succeeded', output: null as never }, [false, false, true]],
  [{ status: 'failed', error: null as never }, [false, false, true]],
  [{ status: 'failed', error: {} as never }, [false, false, true]],
  [{ status: 'cancelled' }, [false, false, true]],
  [{ status: 'processing' }, [false, false, false]],
  [{ status: 'a status to come', output, error }, [false, false, false]],
])('narrows %j', (job, expected) => {
  expect([isSucceeded(job), isFailed(job), isEnded(job)]).toEqual(expected)
})
