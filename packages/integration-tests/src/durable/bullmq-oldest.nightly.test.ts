import { readFile } from 'node:fs/promises'
import { createBullmqEngine } from '@modelrun/durable/bullmq'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { engineChecks } from '../../../durable/test/engine-checks.ts'
import { needs } from '../services/programs.ts'
import { REDIS_PROGRAMS, startRedis } from '../services/redis.ts'
import type { Service } from '../services/service-process.ts'

// The engine reads the keys of BullMQ, so its peer range is what its checks pass on. The other tests run on the newest version.
const { oldest, isInstalled } = vi.hoisted(() => {
  const name = 'bullmq-oldest'
  const { existsSync } = process.getBuiltinModule('node:fs')
  const folder = new URL(`../../../../node_modules/${name}`, import.meta.url)
  return { oldest: name, isInstalled: existsSync(folder) || process.env.REQUIRE_SERVICES === '1' }
})
vi.mock('bullmq', (original) => (isInstalled ? import(oldest) : original()))

const { isMissing, note } = needs(...REDIS_PROGRAMS)
const reason = isInstalled ? note : ` (left out: ${oldest} is not installed, run npm ci)`

async function readPackage(
  path: string,
): Promise<Record<string, string> & { peerDependencies: Record<string, string> }> {
  return JSON.parse(await readFile(new URL(`../../../../${path}/package.json`, import.meta.url), 'utf8'))
}

describe.skipIf(isMissing || !isInstalled)(`the BullMQ engine on the oldest bullmq of its range${reason}`, () => {
  let service: Service
  beforeAll(async () => {
    service = await startRedis()
  }, 60_000)
  afterAll(() => service?.stop())

  it('has a range from this version to the newest one of the other tests', async () => {
    const { version: from } = await readPackage(`node_modules/${oldest}`)
    const { version: newest = '' } = await readPackage('node_modules/bullmq')
    const [major, minor] = newest.split('.').map(Number)
    const { peerDependencies } = await readPackage('packages/durable')
    expect(peerDependencies.bullmq).toBe(`>=${from} <${major}.${Number(minor) + 1}.0`)
    expect((await import('bullmq')).Queue === (await import(oldest)).Queue).toBe(true)
  })

  const open = () => createBullmqEngine({ connection: `redis://127.0.0.1:${service.port}`, pollMs: 50 })
  it.each(engineChecks(open))('$name', ({ run }) => run())
})
