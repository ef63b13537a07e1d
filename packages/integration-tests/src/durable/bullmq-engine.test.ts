import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { engineChecks } from '@modelrun/durable/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'

const { isMissing, note } = needs(...REDIS_PROGRAMS)

describe.skipIf(isMissing)(`the BullMQ engine${note}`, () => {
  let service: Service

  beforeAll(async () => {
    service = await startRedis()
  })
  afterAll(() => service?.stop())

  const open = () => createBullmqEngine({ connection: `redis://127.0.0.1:${service.port}`, pollMs: 50 })

  it.each(engineChecks({ open }))('$name', ({ run }) => run())
})
