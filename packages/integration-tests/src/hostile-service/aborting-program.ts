// A program that uses the client, aborts some of its calls, and then has nothing left to do. Its timers are set far
// beyond the patience of the test that runs it: one that were left behind would keep it alive.
import { ModelRun } from 'modelrun'

const client = new ModelRun({ apiKey: 'sk_test_program', baseUrl: process.argv[2], timeoutMs: 600_000 })
const outcomes: string[] = []

async function observe(call: (signal: AbortSignal) => PromiseLike<unknown>, abortAfterMs?: number): Promise<void> {
  const controller = new AbortController()
  if (abortAfterMs !== undefined) setTimeout(() => controller.abort(), abortAfterMs)
  const outcome = await call(controller.signal).then(
    () => 'success',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  )
  outcomes.push(outcome)
}

await observe((signal) => client.run('aurora-image', {}, { signal }))
await observe((signal) => client.run('aurora-image', {}, { signal }), 200)
await observe((signal) => client.submit('aurora-image', {}, { signal, maxRetries: 0 }))
await observe((signal) => client.submit('aurora-image', {}, { signal }), 200)
await observe((signal) => client.jobs.attach('job_1').result({ signal, deadlineMs: 200 }))
console.log(outcomes.join(' '))
