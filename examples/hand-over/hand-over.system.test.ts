import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { ConnectionError, DeadlineExceededError } from 'modelrun'
import { expect, it } from 'vitest'
import { mayRepeat } from './steps.ts'

const file = fileURLToPath(new URL('./function.ts', import.meta.url))

it('starts a job in one process, polls it in another, and gets its result in a third', async () => {
  const server = createReferenceServer({ clock: { scale: 20 } })
  const { url, close } = await listen(server)
  const env = { ...process.env, MODELRUN_API_KEY: server.apiKey, MODELRUN_BASE_URL: url }
  const run = async (step: string, input: unknown): Promise<unknown> => {
    const args = ['--conditions=@modelrun/source', file, step, JSON.stringify(input)]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env })
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  const before = server.credits()
  const job = await run('start', { model: 'lumen/aurora-video', input: { prompt: 'waves at dusk' } })
  expect(job).toMatchObject({ job_id: expect.any(String), model_id: 'lumen/aurora-video' })
  expect(await run('status', job)).toEqual({ status: expect.stringMatching(/queued|processing/), isOver: false })
  const outcome = await run('result', job)
  expect(outcome).toMatchObject({ ...(job as object), status: 'succeeded', output: { items: [{}] } })
  expect(await run('status', job)).toEqual({ status: 'succeeded', isOver: true })
  expect(before - server.credits()).toBe(60)
  await close()
})

it('repeats no start that may have arrived, and everything else that may help', () => {
  const facts = { message: 'A failure', isRetryable: true }
  const lost = new ConnectionError({ ...facts, submission: 'unknown' })
  const unsent = new ConnectionError({ ...facts, submission: 'not_sent' })
  const tooLong = new DeadlineExceededError({ message: 'Too long', submission: 'accepted' })
  expect(mayRepeat('start', lost)).toBe(false)
  expect(mayRepeat('start', unsent)).toBe(true)
  expect(mayRepeat('status', lost)).toBe(true)
  expect(mayRepeat('result', tooLong)).toBe(true)
  expect(mayRepeat('result', new TypeError('a fault of the program'))).toBe(false)
})
