import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createInbox } from 'modelrun/webhooks'
import { startJobService } from '../../packages/integration-tests/src/durable/job-service.ts'
import { type EngineAt, openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { bundleProgram } from './bundle-program.ts'
import { createPost, type Posted } from './post.ts'
import { INBOX_NAME, PUBLIC_URL, type ReceiverReady, SECRET } from './settings.ts'
import type { ChaosStore } from './stores.ts'

/** What a process is started with. */
export interface CalmSettings {
  engineAt: EngineAt
  serviceUrl: string
}

const PROCESSES = 4
const A_SECOND = 100

/** The default of engines. */
const POLL_MS = 250

/** The first deliveries open connections. */
const WARM_UP = 200

/** Delivers results to four processes at 100 a second, and nothing goes wrong. Gives the times of the responses, sorted. */
export async function measureCalm({ engineAt }: ChaosStore, deliveries: number): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-calm-'))
  const program = await bundleProgram(new URL('./calm-process.ts', import.meta.url), folder)
  const engine = openEngine(engineAt)
  await engine.setup()
  const service = await startJobService()
  const inbox = createInbox({ name: INBOX_NAME, engine, secret: SECRET, publicUrl: PUBLIC_URL })
  const settings: CalmSettings = { engineAt: { ...engineAt, pollMs: POLL_MS }, serviceUrl: service.url }
  const children = Array.from({ length: PROCESSES }, () => {
    return fork(program, [JSON.stringify(settings)], { execArgv: ['--no-warnings'] })
  })
  try {
    const receivers = await Promise.all(children.map(async (child) => createPost(await portOf(child))))
    const urls: string[] = []
    for (let index = 0; index < deliveries; index++) urls.push(await inbox.callbackUrl())
    const posted: Promise<Posted>[] = []
    const startedAt = performance.now()
    for (const [index, url] of urls.entries()) {
      await sleep(Math.max(0, startedAt + (index * 1_000) / A_SECOND - performance.now()))
      service.start(`job_${index}`)
      const receiver = receivers[index % receivers.length]
      if (receiver) posted.push(receiver.post(url, JSON.stringify(service.finish(`job_${index}`))))
    }
    const responses = await Promise.all(posted)
    for (const { close } of receivers) close()
    if (responses.some(({ status }) => status !== 202)) throw new Error('A delivery was not responded to with 202.')
    return responses
      .slice(WARM_UP)
      .map(({ responseMs }) => responseMs)
      .toSorted((a, b) => a - b)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await inbox.drain()
    await Promise.all([engine.close(), service.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [message] = await once(child, 'message')
  // Only `calm-process.ts` sends.
  return (message as ReceiverReady).port
}
