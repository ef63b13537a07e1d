import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ENGINE_STORES } from './engine-stores.ts'
import { useInboxHarness } from './use-store.ts'

const program = fileURLToPath(new URL('inbox-process.ts', import.meta.url))
const WAIT = { interval: 20 }
const children: ChildProcess[] = []

interface InboxProcess {
  child: ChildProcess
  /** What it has printed. */
  lines: string[]
  deliver(event: object): Promise<number>
}

async function startProcess(settings: object): Promise<InboxProcess> {
  const args = ['--conditions=@modelrun/source', '--no-warnings', program, JSON.stringify(settings)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  await expect.poll(() => lines[0], WAIT).toMatch(/^port \d+$/)
  const url = `http://127.0.0.1:${lines[0]?.replace('port ', '')}/`
  const deliver = async (event: object) => (await fetch(url, { method: 'POST', body: JSON.stringify(event) })).status
  return { child, lines, deliver }
}

describe.each(ENGINE_STORES)('processes with an inbox on $title', (engineStore) => {
  const { isMissing } = engineStore
  const harness = useInboxHarness(engineStore)
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  })

  const start = (settings: { lockMs?: number; workMs?: number } = {}) => {
    const { engineAt, name, service } = harness()
    return startProcess({ engineAt, name, serviceUrl: service.url, lockMs: 2_000, workMs: 0, ...settings })
  }
  const openAnyone = () => harness().open({ secret: undefined, publicUrl: undefined })

  it.skipIf(isMissing)('a job whose process is killed in its handler runs elsewhere', async () => {
    const { inbox, calls } = await openAnyone()
    await inbox.expect('long')
    const { child, lines, deliver } = await start()
    expect(await deliver(harness().service.finish('long'))).toBe(202)
    await expect.poll(() => lines, WAIT).toContain('start long 1')
    inbox.start()
    child.kill('SIGKILL')
    await expect.poll(() => calls, WAIT).toMatchObject([[{ job_id: 'long' }, { attempt: 2 }]])
  })

  it.skipIf(isMissing)('a process that was paused past its lock does not start the handler late', async () => {
    const { inbox, calls } = await openAnyone()
    await inbox.expect('job_1')
    const { child, lines, deliver } = await start({ lockMs: 1_000 })
    const held = harness().service.hold('job_1')
    expect(await deliver(harness().service.finish('job_1'))).toBe(202)
    await held.asked
    child.kill('SIGSTOP')
    held.release()
    inbox.start()
    await expect.poll(() => calls, WAIT).toMatchObject([[{ job_id: 'job_1' }, { attempt: 1, fence: 2 }]])
    child.kill('SIGCONT')
    // It is awake, and works on.
    expect(await deliver(harness().service.finish('job_2'))).toBe(202)
    await inbox.drain()
    await inbox.waitFor('job_2').catch(() => {})
    await expect.poll(() => [...lines, ...calls.map(([{ job_id }]) => job_id)].join(), WAIT).toContain('job_2')
    expect(lines.join()).not.toContain('job_1')
  })
})
