import { describe, expect, it } from 'vitest'
import { apiCaller } from '../../test/api-caller.ts'
import type { ReferenceServer } from '../reference-server.ts'
import { ExplorationError, explore } from './explore.ts'

const MODEL = 'aurora-image'
const URL = 'https://receiver.test/hook'

/** Runs a model and polls it every 5 s until it has ended. */
async function runAndPoll(server: ReferenceServer, body: object = {}): Promise<string[]> {
  const caller = apiCaller(server)
  const { clock } = server.clientOptions()
  const run = await caller.run(MODEL, { webhook_url: URL, ...body })
  const seen = [String(run.status)]
  while (!['succeeded', 'failed', 'cancelled'].includes(String(seen.at(-1)))) {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 5_000))
    seen.push(String(await caller.status(run.body.job_id)))
  }
  return seen
}

async function failureOf(exploration: Promise<unknown>): Promise<ExplorationError> {
  const error = await exploration.catch((reason: unknown) => reason)
  if (error instanceof ExplorationError) return error
  throw new Error(`Expected a failure of the explored test, got ${String(error)}.`)
}

describe('explore', () => {
  it('tries every order once, and says that these are all', async () => {
    const orders = new Set<string>()
    const exploration = await explore(async (server) => {
      const order: string[] = []
      server.webhooks.deliver(() => {
        order.push('delivery')
        return new Response()
      })
      const caller = apiCaller(server)
      const { body } = await caller.run(MODEL, { webhook_url: URL })
      order.push('202')
      order.push(String(await caller.status(body.job_id)))
      await server.webhooks.next()
      orders.add(order.join(', '))
    })
    expect([...orders].toSorted()).toEqual([
      '202, delivery, processing', // the poll saw the job before its end, and its response came late
      '202, delivery, succeeded',
      '202, processing, delivery',
      '202, succeeded, delivery',
      'delivery, 202, succeeded',
    ])
    expect(exploration.isComplete).toBe(true)
  })

  it('finds the one order in which a test fails, says it in words, and replays it', async () => {
    // The app stores what arrived last: the response to a poll that was made before the delivery but arrives after it wins.
    const racy = async (server: ReferenceServer) => {
      let status: unknown
      server.webhooks.deliver(async (request) => {
        status = (await request.json()).status
        return new Response()
      })
      const caller = apiCaller(server)
      const { body } = await caller.run(MODEL, { webhook_url: URL })
      status = await caller.status(body.job_id)
      await server.webhooks.next()
      expect(status).toBe('succeeded')
    }
    const failure = await failureOf(explore(racy))
    expect(failure.order).toBe('the 202, then poll, then the job succeeds, then delivery, then poll: processing')
    expect(failure.seed).toBe('apedq')
    expect(failure.message).toContain("Replay it with explore(test, { seed: 'apedq' })")
    expect(failure.message).toContain("expected 'processing' to be 'succeeded'")
    expect((await failureOf(explore(racy, { seed: failure.seed }))).order).toBe(failure.order)
    expect(await explore(racy, { seed: 'apqed' })).toEqual({ runs: 1, isComplete: false, limit: 'seed' })
    let failures = 0
    const all = await explore((server) => racy(server).catch(() => failures++))
    expect([all.isComplete, failures]).toEqual([true, 1])
    expect(all.runs).toBeGreaterThan(5)
  })

  it('delivers before the 202', async () => {
    const failure = await failureOf(
      explore(async (server) => {
        const known = new Set<unknown>()
        const unknown: unknown[] = []
        server.webhooks.deliver(async (request) => {
          const { job_id } = await request.json()
          if (!known.has(job_id)) unknown.push(job_id)
          return new Response()
        })
        const { body } = await apiCaller(server).run(MODEL, { webhook_url: URL })
        known.add(body.job_id)
        await server.webhooks.next()
        expect(unknown).toEqual([])
      }),
    )
    expect(failure.order).toBe('the job succeeds, then delivery before the 202, then the 202')
  })

  it('lets a cancel come before and after the end, and its response after the delivery', async () => {
    const seen = new Set<string>()
    const { isComplete } = await explore(async (server) => {
      const caller = apiCaller(server)
      let delivered = 'no delivery'
      server.webhooks.deliver(() => {
        delivered = 'delivery'
        return new Response()
      })
      const { body } = await caller.run(MODEL, { webhook_url: URL })
      const cancel = await caller.delete(`/v1/jobs/${String(body.job_id)}`)
      seen.add(`${cancel.status}, ${delivered}, ${server.job(String(body.job_id)).status}`)
    })
    expect([...seen].toSorted()).toEqual([
      '200, no delivery, cancelled',
      '409, delivery, succeeded',
      '409, no delivery, succeeded',
    ])
    expect(isComplete).toBe(true)
  })

  it('lets polls come before, between and after the end and the delivery, and ends what is polled for ever', async () => {
    const polls = new Set<number>()
    const exploration = await explore(async (server) => {
      server.webhooks.deliver(() => new Response())
      const seen = await runAndPoll(server)
      expect(seen.at(-1)).toBe('succeeded')
      polls.add(seen.length - 1)
    })
    expect([...polls].toSorted()).toEqual([1, 2, 3])
    // It polls until the job ends, so the job could always end one poll later.
    expect(exploration).toMatchObject({ isComplete: false, limit: 'maxDelay' })
  })

  it('shows a job in the queue to its first poll, and to no later one (section 3)', async () => {
    const seen = new Set<string>()
    await explore(async (server) => {
      seen.add((await runAndPoll(server, { sync: false, webhook_url: undefined })).slice(1, 3).join(', '))
    })
    expect([...seen].toSorted()).toEqual([
      'processing, processing',
      'processing, succeeded',
      'queued, processing',
      'queued, succeeded',
      'succeeded',
    ])
  })

  describe('with a client that gives up after five polls', () => {
    const givesUp = async (server: ReferenceServer) => {
      const caller = apiCaller(server)
      const { body } = await caller.run(MODEL, { sync: false })
      const statuses: unknown[] = []
      while (statuses.length < 5 && statuses.at(-1) !== 'succeeded') statuses.push(await caller.status(body.job_id))
      expect(statuses.at(-1)).toBe('succeeded')
    }

    it('says that longer delays were not tried', async () => {
      expect(await explore(givesUp)).toMatchObject({ isComplete: false, limit: 'maxDelay' })
    })

    it('finds it with longer delays', async () => {
      expect((await failureOf(explore(givesUp, { maxDelay: 20 }))).order).toContain('poll: processing')
    })

    it('finds it with jobs that never end', async () => {
      expect((await failureOf(explore(givesUp, { jobsMayHang: true }))).order).toContain('the job never ends')
    })
  })

  it('knows both ends of a held run: its result and the 202 after 55 s (section 4.3)', async () => {
    const seen = new Set<string>()
    await explore(async (server) => {
      const { clock } = server
      const start = clock.now()
      const [status] = await runAndPoll(server, { webhook_url: undefined }).catch(() => ['200'])
      seen.add(`${status} at ${clock.now() - start >= 55_000 ? 'or after' : 'before'} 55 s`)
    })
    expect([...seen].toSorted()).toEqual(['200 at before 55 s', '202 at or after 55 s'])
  })

  it('respects scripts: how a job ends, when it does so by itself, and how it is delivered', async () => {
    const failure = await failureOf(
      explore(async (server) => {
        server.webhooks.deliver(() => new Response())
        server.script(MODEL, [
          { result: 'failed', webhook: { deliveries: 2 } },
          { result: 'succeeded', after_ms: 1 },
        ])
        const caller = apiCaller(server)
        const jobs = [await caller.run(MODEL, { webhook_url: URL }), await caller.run(MODEL, { sync: false })]
        for (let count = 0; count < 2; count++) await server.webhooks.next()
        throw new Error(String(await caller.status(jobs[1]?.body.job_id)))
      }),
    )
    expect(failure.order).toBe(
      'the 202, then the 202 of job 2, then the job fails, then delivery, then delivery, then poll of job 2: processing',
    )
    expect(failure.run).toBe(1)
  })

  it('tries at most `maxRuns` orders: the same ones for the same `shuffle`, other ones for another', async () => {
    const ordersOf = async (shuffle: number) => {
      const orders: string[] = []
      const exploration = await explore(
        async (server) => {
          const order: unknown[] = []
          server.webhooks.deliver(async (request) => {
            order.push((await request.json()).job_id)
            return new Response()
          })
          await Promise.all([1, 2, 3].map(() => runAndPoll(server).then((seen) => order.push(seen))))
          orders.push(JSON.stringify(order))
        },
        { maxRuns: 12, shuffle },
      )
      expect(exploration).toEqual({ runs: 12, isComplete: false, limit: 'maxRuns' })
      return orders
    }
    const orders = await ordersOf(1)
    expect(await ordersOf(1)).toEqual(orders)
    expect(await ordersOf(2)).not.toEqual(orders)
  })

  it('fails a test that waits for what never comes', async () => {
    const failure = await failureOf(
      explore(
        async (server) => {
          const { body } = await apiCaller(server).run(MODEL, { sync: false })
          await apiCaller(server).status(body.job_id)
          await server.webhooks.next()
        },
        { timeoutMs: 20 },
      ),
    )
    expect(failure.message).toContain('The test made no step for 20 ms')
  })

  it('says when a seed cannot be followed', async () => {
    const failure = await failureOf(explore((server) => runAndPoll(server), { seed: 'axe' }))
    expect(failure.message).toContain('its step 2, "x", is not possible; possible are: e, t')
  })

  it('does not name a seed when a test fails before its first step', async () => {
    const failure = explore(() => {
      throw new Error('at once')
    })
    await expect(failure).rejects.toThrow('The test fails before its first step, so in every order.\nat once')
  })
})
