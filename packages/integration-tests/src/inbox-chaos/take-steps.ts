import { chance } from './chance.ts'
import type { Step } from './deliveries.ts'
import type { Posted } from './receiver.ts'
import type { World } from './world.ts'

/**
 * Does what is planned, and gives what came of the deliveries.
 *
 * @param untilNext Waits until the next delivery may be sent
 */
export async function takeSteps(
  world: World,
  steps: readonly Step[],
  untilNext: () => Promise<void>,
): Promise<Posted[]> {
  const { service, sender, receivers, seed } = world
  const runs = new Map<string, { url: string; ref: string }>()
  const posts: Promise<Posted>[] = []

  async function deliver(job: string): Promise<void> {
    await untilNext()
    const receiver = await receivers.pick(chance(seed, 'receiver', posts.length))
    const { url = '' } = runs.get(job) ?? {}
    posts.push(receiver.post(url, JSON.stringify(service.finish(job))))
  }

  for (const { kind, job } of steps) {
    if (kind === 'run') {
      runs.set(job, await sender.prepare())
      service.start(job)
    }
    if (kind === 'note') await sender.expect(job, { ref: runs.get(job)?.ref })
    if (kind === 'drop') service.finish(job)
    if (kind === 'deliver') await deliver(job)
  }
  return await Promise.all(posts)
}
