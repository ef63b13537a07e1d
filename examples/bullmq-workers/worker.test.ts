import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'

const skip = process.env.REDIS_URL === undefined && 'REDIS_URL is not set'
const ANIMALS = ['ant', 'bat', 'cat', 'dog', 'eel', 'fox']

test('a task that runs again after its worker was killed is not paid again', { skip }, async (t) => {
  const service = createReferenceServer({ clock: 'system', latency: 2_000 })
  const { url, close } = await listen(service)
  const env = { ...process.env, MODELRUN_API_KEY: service.apiKey, MODELRUN_BASE_URL: url }
  let output = ''
  const start = (file: string, ...args: string[]): ChildProcess => {
    const command = [...process.execArgv, join(import.meta.dirname, file), ...args]
    const child = spawn(process.execPath, command, { env })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    return child
  }
  const spent = () => 10_000 - service.credits()
  const posts = () => service.journal.text().match(/POST \/v1\/models\//g)?.length ?? 0

  const first = start('worker.ts')
  assert.deepEqual(await once(start('add.ts', ...ANIMALS), 'exit'), [0, null], output)
  await t.waitFor(() => assert.equal(posts(), 6, output), { timeout: 30_000 })
  // All are accepted and none has ended.
  await t.waitFor(() => assert.equal(service.journal.text().match(/ 202 /g)?.length ?? 6, 6), { timeout: 5_000 })
  first.kill('SIGKILL')
  await once(first, 'exit')

  const second = start('worker.ts')
  const ended = () => ANIMALS.filter((animal) => output.includes(`image-${animal} `)).length
  await t.waitFor(() => assert.equal(ended(), 6, output), { timeout: 60_000 })
  second.kill('SIGTERM')
  assert.deepEqual(await once(second, 'exit'), [0, null])
  assert.deepEqual([posts(), spent()], [6, 24])
  await close()
})
