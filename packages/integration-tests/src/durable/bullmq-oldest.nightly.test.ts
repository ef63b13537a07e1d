import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'

// The first version of the peer range. The other tests run on the newest one.
const { oldest, isInstalled } = vi.hoisted(() => {
  const name = 'bullmq-oldest'
  const { existsSync } = process.getBuiltinModule('node:fs')
  const isIn = (folder: string) => existsSync(new URL(`${folder}/node_modules/${name}`, import.meta.url))
  const isInstalled = isIn('../..') || isIn('../../../..')
  return { oldest: name, isInstalled: isInstalled || process.env.REQUIRE_SERVICES === '1' }
})
vi.mock('bullmq', (original) => (isInstalled ? import(oldest) : original()))

const { isMissing, note } = needs(...REDIS_PROGRAMS)
const reason = isInstalled ? note : ` (left out: ${oldest} is not installed, run npm ci)`

describe.skipIf(isMissing || !isInstalled)(`the BullMQ engine on the oldest bullmq of its range${reason}`, () => {
  let service: Service
  beforeAll(async () => {
    service = await startRedis()
  })
  afterAll(() => service?.stop())

  const open = () => createBullmqEngine({ connection: `redis://127.0.0.1:${service.port}`, pollMs: 50 })
  it.each(engineChecks(open))('$name', ({ run }) => run())
})
