import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ConnectionError, DeadlineExceededError } from 'modelrun'
import { mayRepeat } from './steps.ts'

test('a job starts in one process, is polled in another, and its result is read in a third', async () => {
  const service = createReferenceServer({ clock: { scale: 20 } })
  const { url, close } = await listen(service)
  const env = { ...process.env, MODELRUN_API_KEY: service.apiKey, MODELRUN_BASE_URL: url }
  const run = async (step: string, input: unknown) => {
    const command = [...process.execArgv, join(import.meta.dirname, 'function.ts'), step, JSON.stringify(input)]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { env })
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const job = await run('start', { model: 'lumen/aurora-video', input: { prompt: 'waves at dusk' } })
  assert.equal(job.model_id, 'lumen/aurora-video')
  assert.equal((await run('status', job)).isOver, false)
  const { status, job_id, output } = await run('result', job)
  assert.deepEqual([status, job_id, output.items.length], ['succeeded', job.job_id, 1])
  assert.deepEqual(await run('status', job), { status: 'succeeded', isOver: true })
  assert.equal(10_000 - service.credits(), 60)
  await close()
})

test('no start is repeated that may have arrived', () => {
  const facts = { message: 'A failure', isRetryable: true }
  const lost = new ConnectionError({ ...facts, submission: 'unknown' })
  const unsent = new ConnectionError({ ...facts, submission: 'not_sent' })
  const tooLong = new DeadlineExceededError({ message: 'Too long', submission: 'accepted' })
  assert.equal(mayRepeat('start', lost), false)
  assert.equal(mayRepeat('start', unsent), true)
  assert.equal(mayRepeat('status', lost), true)
  assert.equal(mayRepeat('result', tooLong), true)
  assert.equal(mayRepeat('result', new TypeError('a fault of the program')), false)
})
