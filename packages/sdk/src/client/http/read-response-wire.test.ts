import { jobResponseSchema, type RunResponse, runCompletedSchema, runQueuedSchema } from '@modelrun/contract'
import { expect, it } from 'vitest'
import { parseByStatus, parseWire } from './read-response.ts'

const schemas = { completed: runCompletedSchema, queued: runQueuedSchema }
const queued = { job_id: 'job_1', request_id: 'req_1', model_id: 'm', status: 'queued' }

it('takes null for an absent member (section 4.4)', () => {
  const checked = parseWire(jobResponseSchema, { data: { status: 'processing', output: null, error: null } })
  expect(checked.data).toEqual({ data: { status: 'processing' } })
})

it('keeps null in fields that the schema does not know', () => {
  const checked = parseWire(jobResponseSchema, { data: { status: 'processing', later: null } })
  expect(checked.data).toEqual({ data: { status: 'processing', later: null } })
})

it('names the first problem of a value that fits neither way', () => {
  const checked = parseWire(jobResponseSchema, { data: { status: 7, output: null } })
  expect(checked.error?.issues[0]?.path).toEqual(['data', 'status'])
})

it('parses by the status', () => {
  expect(parseByStatus<RunResponse>(schemas, queued)).toEqual(queued)
})

it.each([
  [{ ...queued, status: 'completed' }],
  [{ ...queued, status: 'constructor' }],
  [{}],
  [null],
  ['queued'],
  [undefined],
])('gives nothing for %j', (value) => {
  expect(parseByStatus<RunResponse>(schemas, value)).toBeUndefined()
})

it('bears JSON that is nested without end', () => {
  expect(parseWire(jobResponseSchema, JSON.parse(`${'{"data":'.repeat(5_000)}1${'}'.repeat(5_000)}`)).success).toBe(
    false,
  )
})
