import { expect, test } from 'vitest'
import { MODEL, pass, settled, useVirtualTime } from '../../test/batch.ts'
import { loop, openProcesses, type Process, type Processes } from '../../test/processes.ts'

useVirtualTime()

const add = ({ runs }: Process) => settled(runs.add('a', MODEL, { prompt: 'a' }))
const send = ({ runs }: Process) => settled(runs.send('a', MODEL, { prompt: 'a' }))

/** How the run is before a process pauses. */
const BEFORE: Readonly<Record<string, (process: Process, shared: Processes) => Promise<unknown>>> = {
  waiting: add,
  sent: send,
  succeeded: (process) => settled(loop(process, 'a')),
  unsent: async (process) => {
    await add(process)
    await settled(process.runs.cancel('a'))
  },
  failed: (process, { server }) => {
    server.script(MODEL, [{ result: 'failed' }])
    return settled(loop(process, 'a'))
  },
  unknown: (process, { server }) => {
    server.faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 })
    return send(process)
  },
}

const jobsOf = ({ server }: Processes) => server.requests({ route: 'runModel' }).map(({ job_id }) => job_id)

const STEPS: Readonly<Record<string, (process: Process, shared: Processes) => Promise<unknown>>> = {
  'a send of a waiting run': ({ runs }) => runs.send('a', MODEL, { prompt: 'a' }),
  'a poll of a sent run': ({ runs }) => runs.read('a', { isHinted: true }),
  'a cancel of a waiting run': ({ runs }) => runs.cancel('a'),
  'a cancel of a sent run': ({ runs }) => runs.cancel('a'),
  'a retry of a failed run': ({ runs }) => runs.retry('a'),
  'a resubmit of a unknown run': ({ runs }) => runs.resubmit('a'),
  'a resolve of a unknown run': ({ runs }, shared) => runs.resolve('a', { jobId: jobsOf(shared)[0] }),
  'a delete of a succeeded run': ({ runs }) => runs.delete({ all: true }),
  'a delete of a unsent run': ({ runs }) => runs.delete({ all: true }),
  'a delete of a unknown run': ({ runs }) => runs.delete({ all: true }),
}

/** Ends the run, and deletes it. */
async function endLife(process: Process): Promise<void> {
  while ((await settled(loop(process, 'a'))).run.state === 'unknown') await settled(process.runs.resubmit('a'))
  expect(await settled(process.runs.delete({ all: true }))).toEqual({ deleted: 1, kept: 0 })
}

test.each(Object.keys(STEPS))('%s that pauses changes nothing of the run that was added since', async (name) => {
  const before = BEFORE[name.split(' ').at(-2) ?? '']
  let changes = 1
  for (let at = 1; at <= changes; at += 1) {
    const shared = await openProcesses(1_000)
    const [late, other] = [shared.open({ maxRunning: 5 }), shared.open({ maxRunning: 5 })]
    await before?.(other, shared)
    let isLocked = false
    let goOn = () => {}
    const stands = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let seen = 0
    late.faults.store = (change) => {
      // Before its lock, it has read nothing that counts.
      if (isLocked && !/^(get|total|count|renew)/.test(change)) seen += 1
      isLocked ||= change.startsWith('lockOne')
      return seen >= at ? stands : undefined
    }
    const step = STEPS[name]?.(late, shared).catch(() => {})
    await pass(40_000)
    changes = Math.max(changes, seen + 1)
    if (seen < at) break
    await endLife(other)
    shared.server.script(MODEL, [{ result: 'succeeded', after_ms: 600_000 }])
    const posts = shared.posts.a ?? 0
    await send(other)
    goOn()
    await settled(step ?? Promise.resolve())
    await pass(5_000)
    expect(await settled(other.runs.get('a'))).toMatchObject({ state: 'running', jobId: jobsOf(shared).at(-1) })
    expect(await settled(other.runs.progress())).toMatchObject({ total: 1, running: 1, credits: 4 })
    expect(shared.posts.a).toBe(posts + 1)
  }
})
