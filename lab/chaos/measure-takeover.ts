import { type ChildProcess, fork } from 'node:child_process'
import { on } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EngineAt, openEngine } from '../../packages/integration-tests/src/durable/open-engine.ts'
import { bundleProgram } from './bundle-program.ts'
import type { ChaosStore } from './stores.ts'

/** What a process is started with. */
export interface TakeoverSettings {
  engineAt: EngineAt
  queue: string
  lockMs: number
}

/** What a process sends to its parent. */
export type TakeoverMessage = 'ready' | 'started'

/** Two processes each, that share nothing but the store. */
const PAIRS_AT_ONCE = 8

/** Kills processes as soon as their handlers start, when their locks are the longest. Gives the times until another process starts the same task, sorted. */
export async function measureTakeover(
  { engineAt }: ChaosStore,
  { kills, lockMs }: { kills: number; lockMs: number },
): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-takeover-'))
  const program = await bundleProgram(new URL('./takeover-process.ts', import.meta.url), folder)
  const engine = openEngine(engineAt)
  try {
    await engine.setup()
    const times: number[] = []
    for (let from = 0; from < kills; from += PAIRS_AT_ONCE) {
      const pairs = Array.from({ length: Math.min(PAIRS_AT_ONCE, kills - from) }, async (_, index) => {
        const settings = { engineAt, queue: `takeover-${lockMs}-${from + index}`, lockMs }
        const add = async () => {
          // Else all locks would end at the same time after the processes looked for ended locks.
          await sleep(lockMs * (index / PAIRS_AT_ONCE))
          await engine.add(settings.queue, 'task', { data: null })
        }
        return measureOne({ program, settings, add })
      })
      times.push(...(await Promise.all(pairs)))
    }
    return times.toSorted((a, b) => a - b)
  } finally {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Takeover {
  program: string
  settings: TakeoverSettings
  add(): Promise<void>
}

async function measureOne({ program, settings, add }: Takeover): Promise<number> {
  const children = [0, 1].map(() => fork(program, [JSON.stringify(settings)], { execArgv: ['--no-warnings'] }))
  try {
    await Promise.all(children.map((child) => untilSent(child, 'ready')))
    const starts = children.map((child) => untilSent(child, 'started'))
    await add()
    const first = await Promise.race(starts)
    const killedAt = performance.now()
    first.kill('SIGKILL')
    await Promise.all(starts)
    return performance.now() - killedAt
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

/** Resolves to the child. */
async function untilSent(child: ChildProcess, wanted: TakeoverMessage): Promise<ChildProcess> {
  for await (const [message] of on(child, 'message')) if (message === wanted) break
  return child
}
