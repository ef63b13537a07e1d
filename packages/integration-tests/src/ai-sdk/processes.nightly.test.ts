import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(new URL('call-process.ts', import.meta.url))

/** A service for other processes, a file for their batch, and calls in processes. */
async function openService(options: ReferenceServerOptions) {
  const server = createReferenceServer(options)
  const { url, close } = await listen(server)
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-ai-sdk-'))
  onTestFinished(async () => {
    await close()
    await rm(folder, { recursive: true })
  })
  const env = { ...process.env, MODELRUN_BASE_URL: url, MODELRUN_API_KEY: server.apiKey }
  const args = ['--conditions=@modelrun/source', program, join(folder, 'runs.db')]
  const before = server.credits()
  return {
    server,
    call: async (): Promise<unknown> => {
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      return JSON.parse(stdout)
    },
    start: () => spawn(process.execPath, args, { env, stdio: 'ignore' }),
    posts: () => server.journal.text().match(/POST \/v1\/models\//g)?.length,
    charged: () => before - server.credits(),
  }
}

test('a call whose process was killed while its job ran is paid once, and the same call gives its image', async () => {
  const { server, call, start, posts, charged } = await openService({ latency: 3_600_000 })
  const first = start()
  // A poll: the batch has stored the job.
  await expect.poll(() => server.journal.text()).toContain('GET /v1/jobs/')
  first.kill('SIGKILL')
  await once(first, 'exit')
  const [entry] = server.journal.entries({ kind: 'job' })
  server.job(entry?.kind === 'job' ? entry.job_id : '').complete()
  expect(await call()).toBe(1)
  expect([posts(), charged()]).toEqual([1, 4])
})

test('a call whose process was killed while it was sent is not sent again', async () => {
  const { server, call, start, posts } = await openService({ latency: 0 })
  server.faults.add({ kind: 'hang', route: 'runModel', when: 'after' })
  const first = start()
  await expect.poll(() => server.report().text).toContain('job_')
  first.kill('SIGKILL')
  await once(first, 'exit')
  server.faults.clear()
  expect(await call()).toMatch(/The run poster-17 of the batch is unknown: .*`resolve` or `resubmit`/)
  await expect.poll(posts).toBe(1)
})
