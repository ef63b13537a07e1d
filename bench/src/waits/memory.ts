import type { MemoryJob, MemoryResult } from '../children/waits-memory.ts'
import { runChild } from '../harness/child.ts'
import { table } from '../harness/report.ts'
import { interleave } from '../harness/rounds.ts'
import { formatNumber, formatSummary, summarize } from '../harness/stats.ts'
import type { WaitingClient } from './clients.ts'
import { CLIENTS, type Section, WAITS } from './section.ts'

const BOUND_BYTES = 1_500

interface Variant {
  title: string
  job: Omit<MemoryJob, 'client' | 'waits' | 'at'>
}

const VARIANTS: readonly Variant[] = [
  { title: 'job known by its id', job: { of: 'id', hasSignal: false } },
  { title: 'the same with a signal', job: { of: 'id', hasSignal: true } },
  { title: 'job submitted before', job: { of: 'handle', hasSignal: false } },
]
const MOMENTS = ['begun', 'seen'] as const

const cases = CLIENTS.flatMap((client) => VARIANTS.flatMap((variant) => MOMENTS.map((at) => ({ client, variant, at }))))

/** What one of many waits keeps on the heap. */
export async function measureMemory(rounds: number): Promise<Section> {
  const results = await interleave(cases, rounds, async ({ client, variant, at }) => {
    const job: MemoryJob = { client, waits: WAITS, at, ...variant.job }
    return (await runChild<MemoryResult>('waits-memory', job, { flags: ['--expose-gc'] })).result
  })
  const bytesOf = (client: WaitingClient, variant: Variant, at: (typeof MOMENTS)[number]) => {
    const found = cases.find((item) => item.client === client && item.variant === variant && item.at === at)
    return summarize((found && results.get(found)) ?? [])
  }
  const most = (client: WaitingClient) =>
    Math.max(...VARIANTS.flatMap((variant) => MOMENTS.map((at) => bytesOf(client, variant, at).median)))
  const numbers = { modelrun: most('modelrun'), replicate: most('replicate'), fal: most('fal') }
  return {
    title: `${formatNumber(WAITS, 0)} waits at once: memory`,
    goals: [{ what: 'memory per wait, worst case, bytes', bound: BOUND_BYTES, digits: 0, ...numbers }],
    paragraphs: [
      `Heap after garbage collection with ${formatNumber(WAITS, 0)} waits that go on, minus before them, in bytes for one wait: median (min–max) of ${rounds} rounds, a fresh process each. The promise of the wait is part of it; ids, and handles or predictions that were submitted, exist before. Begun: no answer has come. Seen: each job was looked at, so that its last state is kept where the client keeps it. modelrun on virtual time, \`client.jobs.wait(id)\` and \`handle.result()\`; the others asleep in their own timers, \`replicate.wait\`, \`fal.queue.subscribeToStatus\`, \`vectorStores.files.poll\`.`,
      table(
        ['client', ...VARIANTS.flatMap(({ title }) => MOMENTS.map((at) => `${title}, ${at}`))],
        CLIENTS.map((client) => [
          client,
          ...VARIANTS.flatMap((variant) => MOMENTS.map((at) => formatSummary(bytesOf(client, variant, at), 0))),
        ]),
      ),
    ],
  }
}
