import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Order } from './order.ts'
import type { End } from './program.ts'

export interface ProgramRun {
  /** Undefined when the process ended before its workflows did. */
  ends: End[] | undefined
  output: string
}

interface ProgramOptions {
  env: Record<string, string>
  /** When the program is ended, with what it has started. Default: never. */
  limitMs?: number | undefined
  nodeOptions?: readonly string[] | undefined
}

/** Runs the program of a recipe to its end. */
export async function runProgram(
  program: string,
  orders: readonly Order[],
  { env, limitMs, nodeOptions = [] }: ProgramOptions,
): Promise<ProgramRun> {
  const child = spawn(process.execPath, [...nodeOptions, program, JSON.stringify(orders)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, which is ended as one.
    detached: true,
  })
  const timer =
    limitMs === undefined ? undefined : setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), limitMs)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(timer)
  const [, ends] = /^ends (.*)$/m.exec(stdout) ?? []
  return { ends: ends === undefined ? undefined : JSON.parse(ends), output: stdout + stderr }
}
