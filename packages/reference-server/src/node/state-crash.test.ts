import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { StateServers } from '../../test/state-servers.ts'
import { createReferenceServer } from '../reference-server.ts'
import { Random } from '../shared/random.ts'
import type { Snapshot } from '../snapshot/snapshot-schema.ts'

// 40 in a row: MODELRUN_CRASH_ROUNDS=40 npx vitest run packages/reference-server/src/node/state-crash.test.ts
const ROUNDS = Number(process.env.MODELRUN_CRASH_ROUNDS ?? 4)
const SEED = Number(process.env.FUZZ_SEED ?? 1)
const CLIENTS = 4
const PRICE = 4

let servers: StateServers

beforeEach(async () => {
  servers = await StateServers.create()
})

/** Runs jobs until the server is gone. @returns the jobs of which the clients know, and when there are so many */
function load(server: Awaited<ReturnType<StateServers['startReady']>>, wanted: number) {
  const known: string[] = []
  const loading = new EventTarget()
  const isLoaded = once(loading, 'loaded')
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    for (;;) {
      const { job_id } = await server.run(index === 0 ? {} : { sync: false })
      if (job_id !== undefined) known.push(job_id)
      if (known.length >= wanted) loading.dispatchEvent(new Event('loaded'))
    }
  })
  const ended = Promise.allSettled(clients) // each ends when its connection breaks
  return { known, ended, isLoaded }
}

function check(snapshot: Snapshot): void {
  const succeeded = snapshot.jobs.filter(({ end }) => end?.status === 'succeeded')
  expect(snapshot.accounts[0]?.credits.charged).toBe(PRICE * succeeded.length)
  createReferenceServer({ clock: 'manual' }).restore(snapshot)
}

describe('a state file', () => {
  it(
    `can be read after each of ${ROUNDS} crashes and stops under load (seed ${SEED})`,
    async () => {
      const random = new Random(SEED)
      let atLeast = 0
      for (let round = 0; round < ROUNDS; round++) {
        const server = await servers.startReady('--scale', '100', '--credits', '100000000')
        const { jobs } = await server.call('GET', '/_reference/activity')
        expect(jobs?.length).toBeGreaterThanOrEqual(atLeast)
        const { known, ended, isLoaded } = load(server, 100 + (random.fileSeed() % 400))
        await Promise.race([isLoaded, ended])
        const isCrash = round % 4 !== 3
        await servers.stop(server, isCrash ? 'SIGKILL' : 'SIGTERM')
        await ended
        const saved = JSON.parse(await readFile(servers.path, 'utf8'))
        check(saved)
        const ids = new Set(saved.jobs.map(({ id }: { id: string }) => id))
        // An orderly stop loses nothing that a client knows of.
        if (!isCrash) expect(known.filter((id) => !ids.has(id))).toEqual([])
        atLeast = saved.jobs.length
      }
      expect(atLeast).toBeGreaterThan(0)
    },
    120_000 + ROUNDS * 10_000,
  )
})
