import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { folderForTest } from '../../../kit/test/temp-folder.ts'
import { openInboxHarness, post } from './inbox-harness.ts'

const WAIT = { interval: 50 }

it('deliveries get their response while another process has the file, and are handled after it', async () => {
  const folder = folderForTest()
  const at = join(folder, 'inbox.db')
  const harness = await openInboxHarness({ kind: 'sqlite', at }, 'inbox')
  const { inbox, calls } = await harness.open()
  inbox.start()
  await post(inbox, await inbox.callbackUrl(), harness.service.finish('before'))
  await inbox.waitFor('before')
  const jobs = ['job_0', 'job_1', 'job_2']
  const urls = await Promise.all(jobs.map(() => inbox.callbackUrl()))

  const source = `
    const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(at)}, { timeout: 5000 })
    database.exec('BEGIN EXCLUSIVE')
    console.log('locked')
    process.stdin.once('data', () => { database.exec('COMMIT'); process.exit() })`
  const other = spawn(process.execPath, ['--no-warnings', '-e', source], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(other, 'exit')
  await once(other.stdout, 'data')
  const sent = Promise.all(urls.map((url, index) => post(inbox, url, harness.service.finish(jobs[index] ?? ''))))
  const otherWork = async () => {
    for (let turn = 0; turn < 100; turn++) await setImmediate()
    return 'other work'
  }
  // SQLite does not keep the process from its other work while it waits for the file.
  expect(await Promise.race([sent, otherWork()])).toBe('other work')
  // All of them respond although the file is not free.
  expect(new Set(await sent)).toEqual(new Set([503]))
  other.stdin.write('over')
  await exit
  await expect.poll(() => calls.map(([{ job_id }]) => job_id).toSorted(), WAIT).toEqual(['before', ...jobs])
  await harness.close()
})
