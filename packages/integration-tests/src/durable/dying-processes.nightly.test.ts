import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { ENGINE_STORES } from './engine-stores.ts'
import type { EngineAt } from './open-engine.ts'
import { useStore } from './use-store.ts'

const program = fileURLToPath(new URL('worker-process.ts', import.meta.url))

const children: ChildProcess[] = []

afterEach(killWorkers)

async function killWorkers(): Promise<void> {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** Starts a worker; `lines` are what it has printed. */
function startWorker(settings: { engineAt: EngineAt; name: string; taskMs: number }): {
  child: ChildProcess
  lines: string[]
} {
  const args = ['--conditions=@modelrun/source', program, JSON.stringify(settings)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  return { child, lines }
}

describe.each(ENGINE_STORES)('on $title', (engineStore) => {
  const { isMissing } = engineStore
  const store = useStore(engineStore)

  it.skipIf(isMissing)(
    'a task that ends its process is dead after four, and takes no other task with it',
    async () => {
      const { engine, engineAt } = store()
      const bystanders = Array.from({ length: 15 }, (_, index) => `innocent-${index}`)
      for (const id of ['poison', ...bystanders]) await engine.add('tasks', id, { data: null })
      for (let deaths = 0; (await engine.get('tasks', 'poison'))?.state !== 'dead'; deaths += 1) {
        expect(deaths).toBeLessThan(10)
        const { child } = startWorker({ engineAt, name: 'one', taskMs: 300 })
        const isDead = once(child, 'exit').then(() => true)
        const isDone = expect
          .poll(() => engine.get('tasks', 'poison'), { timeout: 20_000, interval: 50 })
          .toMatchObject({ state: 'dead' })
          .then(() => false)
        if (!(await Promise.race([isDead, isDone.catch(() => true)]))) break
      }
      expect((await engine.get('tasks', 'poison'))?.error?.code).toBe('process_died')
      startWorker({ engineAt, name: 'last', taskMs: 10 })
      await expect
        .poll(() => engine.count('tasks'), { timeout: 20_000 })
        .toEqual({ waiting: 0, running: 0, done: 15, dead: 1 })
      await killWorkers()
      expect(await engine.replay('tasks', 'poison')).toBe(true)
      const worker = engine.work('tasks', async ({ lost, attempt }) => [lost, attempt], { lockMs: 600 })
      await expect
        .poll(() => engine.get('tasks', 'poison'), { timeout: 10_000 })
        .toMatchObject({ state: 'done', result: [0, 1] })
      await worker.stop()
    },
    90_000,
  )

  it.skipIf(isMissing)(
    'a process that was paused longer than its lock does not end a task that another has',
    async () => {
      const { engine, engineAt } = store()
      const first = startWorker({ engineAt, name: 'first', taskMs: 300 })
      await engine.add('tasks', 'a', { data: null })
      await expect.poll(() => first.lines, { timeout: 10_000 }).toContain('start a 1')
      first.child.kill('SIGSTOP')
      const second = startWorker({ engineAt, name: 'second', taskMs: 1_500 })
      await expect.poll(() => second.lines, { timeout: 10_000 }).toContain('start a 2')
      first.child.kill('SIGCONT')
      await expect.poll(() => first.lines.some((line) => line.startsWith('end a 1')), { timeout: 10_000 }).toBe(true)
      expect(await engine.get('tasks', 'a')).toMatchObject({ state: 'running' })
      await expect
        .poll(() => engine.get('tasks', 'a'), { timeout: 10_000 })
        .toMatchObject({ state: 'done', result: 'second' })
    },
    60_000,
  )
})
