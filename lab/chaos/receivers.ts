import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPost, type Post } from './post.ts'
import { LOCK_MS, type ReceiverReady, type ReceiverSettings } from './settings.ts'

/** Processes that take deliveries; each one that ends is replaced. */
export interface Receivers {
  /** The posts to those that are up. */
  up(): Post[]
  /** Resolves when all are up. */
  allUp(): Promise<void>
  /** `kill -9`, a stop for longer than the lock, or SIGTERM, to one of them. `random` is a number from 0 up to 1. */
  inject(how: 'kill' | 'stop' | 'drain', random: number): void
  readonly counts: { kills: number; stops: number; drains: number; deaths: number; crashes: number }
  stop(): Promise<void>
}

export interface ReceiversOptions {
  program: string
  settings: Omit<ReceiverSettings, 'skewMs'>
  count: number
}

const SKEW_MS = 120_000
const STOP_MS = LOCK_MS + 700

interface Receiver {
  post: Post
  isStopped: boolean
  close(): void
}

export function startReceivers({ program, settings, count }: ReceiversOptions): Receivers {
  const children = new Set<ChildProcess>()
  const up = new Map<ChildProcess, Receiver>()
  const counts = { kills: 0, stops: 0, drains: 0, deaths: 0, crashes: 0 }
  let isStopping = false

  function start(slot: number): void {
    // One is ahead, one is behind.
    const skewMs = [SKEW_MS, -SKEW_MS][slot] ?? 0
    const child = fork(program, [JSON.stringify({ ...settings, skewMs } satisfies ReceiverSettings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Not those of this process: it may be a worker of a test runner. Outages are expected.
      execArgv: ['--no-warnings'],
    })
    children.add(child)
    child.once('message', (message) => {
      // Only `receiver-process.ts` sends.
      up.set(child, { ...createPost((message as ReceiverReady).port), isStopped: false })
    })
    child.once('exit', (code) => {
      children.delete(child)
      up.get(child)?.close()
      up.delete(child)
      counts.deaths++
      // By an error that nothing caught: no signal, and no drain.
      if (code !== null && code !== 0) counts.crashes++
      if (!isStopping) start(slot)
    })
  }

  async function pauseProcess(child: ChildProcess, receiver: Receiver): Promise<void> {
    receiver.isStopped = true
    child.kill('SIGSTOP')
    await sleep(STOP_MS)
    child.kill('SIGCONT')
    receiver.isStopped = false
  }

  for (let slot = 0; slot < count; slot++) start(slot)
  return {
    up: () => [...up.values()].map(({ post }) => post),
    allUp: async () => {
      while (up.size < count) await sleep(20)
    },
    inject: (how, random) => {
      const running = [...up].filter(([, { isStopped }]) => !isStopped)
      const [child, receiver] = running[Math.floor(random * running.length)] ?? []
      if (child === undefined || receiver === undefined) return
      if (how === 'kill') child.kill('SIGKILL')
      else if (how === 'drain') child.kill('SIGTERM')
      else void pauseProcess(child, receiver)
      counts[`${how}s`]++
    },
    counts,
    stop: async () => {
      isStopping = true
      const gone = [...children].map((child) => once(child, 'exit'))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(gone)
    },
  }
}
