import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The outcome of a child process. */
export interface ChildRun<Result> {
  /** What it printed last, parsed. */
  result: Result
  /** From its last output to its end, in milliseconds. `Infinity`: it had to be stopped. */
  exitDelayMs: number
  /** From its start to its end. */
  wallMs: number
}

/** How to run a child. */
export interface ChildOptions {
  /** Flags for Node. */
  flags?: readonly string[]
  /** Longest life after its last output, in milliseconds. */
  graceMs?: number
  /** Longest life, in milliseconds. */
  limitMs?: number
}

/** Runs `children/<name>.ts` in a fresh process; it gets `job` as its one argument and prints its result as JSON. */
export function runChild<Result>(name: string, job: unknown, options: ChildOptions = {}): Promise<ChildRun<Result>> {
  const path = fileURLToPath(new URL(`../children/${name}.ts`, import.meta.url))
  return runNode<Result>([...(options.flags ?? []), path, JSON.stringify(job)], options)
}

/** Runs Node with some arguments in `lab/bench/`. The child prints JSON, or nothing. */
export function runNode<Result>(
  args: readonly string[],
  { graceMs = 10_000, limitMs = 120_000 }: ChildOptions = {},
): Promise<ChildRun<Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildRun<Result>>()
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let outputAt = startedAt
  let isStopped = false
  const stop = () => {
    isStopped = true
    child.kill('SIGKILL')
  }
  const limit = setTimeout(stop, limitMs)
  let grace: NodeJS.Timeout | undefined
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
    outputAt = performance.now()
    clearTimeout(grace)
    grace = setTimeout(stop, graceMs)
  })
  child.on('error', reject)
  let endedAt = startedAt
  child.on('exit', () => {
    endedAt = performance.now()
    clearTimeout(limit)
    clearTimeout(grace)
  })
  // Comes after `exit`, when all output has been read.
  child.on('close', (code) => {
    const lastLine = output.trim().split('\n').at(-1)
    if (code !== 0 && !(isStopped && lastLine)) return reject(new Error(`A child ended with ${code}: ${args.at(-1)}`))
    resolve({
      // The children are ours and say in their own file what they print.
      result: JSON.parse(lastLine || 'null') as Result,
      exitDelayMs: isStopped ? Number.POSITIVE_INFINITY : endedAt - outputAt,
      wallMs: endedAt - startedAt,
    })
  })
  return promise
}
