import { createInbox, type Inbox, type InboxEngine } from 'modelrun/webhooks'
import type { JobService } from '../../packages/integration-tests/src/durable/job-service.ts'
import { chance } from './chance.ts'
import type { Step } from './deliveries.ts'
import type { Post, Posted } from './post.ts'
import { retryUntilDone } from './retry-until-done.ts'
import { INBOX_NAME, PUBLIC_URL, SECRET, TIMES } from './settings.ts'

/** The application cannot run a job without a callback URL: it asks again for one. */
const RETRY_MS = 100

export interface SenderOptions {
  engine: InboxEngine
  service: JobService
  seed: number
  /** The receivers that are up. */
  up(): Post[]
}

/** The application that runs jobs, and the service that delivers their results. */
export function createSender({ engine, service, seed, up }: SenderOptions) {
  const inbox = createInbox({ ...TIMES, name: INBOX_NAME, engine, secret: SECRET, publicUrl: PUBLIC_URL })
  const urls = new Map<string, string>()
  const posts: { isGenuine: boolean; posted: Promise<Posted> }[] = []

  const send = (url: string, body: object, { receivers = 1, isGenuine = true } = {}) => {
    const posted = up()
    const first = Math.floor(chance(seed, 'receiver', posts.length) * posted.length)
    for (let index = 0; index < Math.min(receivers, posted.length); index++) {
      const post = posted[(first + index) % posted.length]
      if (post !== undefined) posts.push({ isGenuine, posted: post(url, JSON.stringify(body)) })
    }
  }

  async function run(job: string): Promise<void> {
    const { url, ref } = await retryUntilDone(() => inbox.prepare({ context: { job } }), RETRY_MS)
    urls.set(job, url)
    service.start(job)
    // In an outage it is repeated from memory for a minute: the application does not wait for it.
    await inbox.expect(job, { ref })
  }

  async function take({ kind, job }: Step): Promise<void> {
    if (kind === 'run') return await run(job)
    const url = urls.get(job) ?? PUBLIC_URL
    const lie = { ...service.resultOf(job), output: service.resultOf('another').output, credits_used: -99_999 }
    if (kind === 'forge') return send(forge(url, chance(seed, 'shape', job)), lie, { isGenuine: false })
    if (kind === 'lie') return send(url, lie, { isGenuine: false })
    if (kind === 'invent') {
      const { url: other } = await retryUntilDone(() => inbox.prepare(), RETRY_MS)
      return send(other, { ...lie, job_id: `${job}-invented` }, { isGenuine: false })
    }
    const result = service.finish(job)
    if (kind !== 'drop') send(url, result, { receivers: kind === 'deliver to two' ? 2 : 1 })
  }

  return { take, posts, drain: () => inbox.drain({ timeoutMs: 5_000 }) satisfies ReturnType<Inbox['drain']> }
}

/** A url whose token is not one. */
function forge(url: string, draw: number): string {
  const forged = new URL(url)
  const [[name, token] = ['token', '']] = [...forged.searchParams]
  if (draw < 0.3) forged.searchParams.delete(name)
  else if (draw < 0.6) forged.searchParams.set(name, token.slice(0, -1))
  else forged.searchParams.set(name, `${token.slice(0, -4)}AAAA`)
  return forged.href
}
