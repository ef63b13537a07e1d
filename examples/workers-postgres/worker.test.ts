import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

const { DATABASE_URL } = process.env
const skip = DATABASE_URL === undefined && 'DATABASE_URL is not set'

test('four processes, one of them killed, send each poster at most once', { skip }, async () => {
  const service = createReferenceServer({ clock: 'system', latency: 500 })
  const { url, close } = await listen(service)
  const env = { ...process.env, MODELRUN_API_KEY: service.apiKey, MODELRUN_BASE_URL: url }
  const command = [...process.execArgv, join(import.meta.dirname, 'worker.ts')]
  const workers = Array.from({ length: 4 }, () =>
    spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const [victim, ...others] = workers.map((worker) => ({ worker, exit: once(worker, 'exit'), output: worker.stdout }))
  const outputs = others.map(({ output }) => text(output))
  assert.ok(victim)
  await once(victim.output, 'data')
  victim.worker.kill('SIGKILL')

  for (const { exit } of others) assert.deepEqual(await exit, [0, null])
  for (const output of await Promise.all(outputs)) {
    const states = output
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[1])
    // A run that was being sent when its process died is unknown: it may have been paid, so it is not sent again.
    assert.ok(
      states.every((state) => state === 'succeeded' || state === 'unknown'),
      output,
    )
    assert.equal(states.length, 12)
  }
  assert.ok(10_000 - service.credits() <= 12 * 4)
  await close()
})
