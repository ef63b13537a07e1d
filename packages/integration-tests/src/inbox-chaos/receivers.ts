import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createReceiver, type Receiver } from './receiver.ts'
import type { ReceiverMessage, ReceiverSettings } from './receiver-settings.ts'

/** Processes that take deliveries; each one that dies is replaced. */
export interface Receivers {
  /** One of those that are up and not busy; waits for one when there is none. `random` is a number from 0 up to 1. */
  pick(random: number): Promise<Receiver>
  /** All, when all are up. */
  allUp(): Promise<Receiver[]>
  /** How many have died. */
  readonly deaths: number
  stop(): Promise<void>
}

export interface ReceiversOptions {
  program: string
  settings: ReceiverSettings
  count: number
  /** Deliveries that a receiver has not answered, when it counts as busy. */
  maxUnanswered: number
}

/** Longest wait before a process is killed that has asked for it. */
const MAX_KILL_DELAY_MS = 20

export function startReceivers({ program, settings, count, maxUnanswered }: ReceiversOptions): Receivers {
  const children = new Set<ChildProcess>()
  const up = new Map<ChildProcess, Receiver>()
  const changes = new EventEmitter().setMaxListeners(0)
  const onChange = () => void changes.emit('change')
  let deaths = 0
  let isStopping = false
  let fault: Error | undefined

  function start(): void {
    const child = fork(program, [JSON.stringify(settings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Not those of this process: it may be a worker of a test runner.
      execArgv: [],
    })
    children.add(child)
    child.on('message', (message) => {
      // Only `receiver-process.ts` sends.
      const told = message as ReceiverMessage
      if (told.kind === 'kill me') setTimeout(() => child.kill('SIGKILL'), Math.random() * MAX_KILL_DELAY_MS)
      else up.set(child, createReceiver(told.port, onChange))
      onChange()
    })
    child.once('exit', (code, signal) => {
      children.delete(child)
      up.get(child)?.close()
      up.delete(child)
      if (!isStopping) replace(code, signal)
      onChange()
    })
  }

  function replace(code: number | null, signal: NodeJS.Signals | null): void {
    if (signal !== 'SIGKILL') fault ??= new Error(`A receiver ended by itself, with ${code ?? signal}.`)
    deaths++
    start()
  }

  async function until<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      if (fault !== undefined) throw fault
      const found = look()
      if (found !== undefined) return found
      await once(changes, 'change')
    }
  }

  for (let index = 0; index < count; index++) start()
  return {
    pick: (random) =>
      until(() => {
        const ready = [...up.values()].filter(({ unanswered }) => unanswered < maxUnanswered)
        return ready[Math.floor(random * ready.length)]
      }),
    allUp: () => until(() => (up.size === count ? [...up.values()] : undefined)),
    get deaths() {
      return deaths
    },
    stop: async () => {
      isStopping = true
      const gone = [...children].map((child) => once(child, 'exit'))
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(gone)
    },
  }
}
