import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The command from its sources, as arguments of Node. */
export const CLI = ['--conditions=@modelrun/source', fileURLToPath(new URL('../src/node/cli.ts', import.meta.url))]

/** A process that was started, and may not serve. It is killed at the end of its test. */
export interface Started {
  child: ChildProcessByStdio<Writable | null, Readable, Readable>
  firstLine: Promise<string>
  ended: Promise<{ code: unknown; stdout: string; stderr: string }>
}

export function startNode(
  args: readonly string[],
  input: 'pipe' | 'ignore' = 'ignore',
  env: NodeJS.ProcessEnv = process.env,
): Started {
  // Its output goes to pipes.
  const child = spawn(process.execPath, args, { stdio: [input, 'pipe', 'pipe'], env }) as Started['child']
  onTestFinished(() => void child.kill('SIGKILL'))
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      printed[name] += chunk
    })
  }
  return {
    child,
    firstLine: once(createInterface(child.stdout), 'line').then(([line]) => String(line)),
    ended: once(child, 'close').then(([code]) => ({ code, ...printed })),
  }
}

/** What the command prints with `--json` when it serves. */
interface Ready {
  url: string
  key: string
  controlToken: string
}

/** A server on a free port that serves. Rejects with what it prints when it does not. */
export async function startReady(...args: string[]): Promise<Started & Ready> {
  const running = startNode([...CLI, '--port', '0', '--json', ...args])
  const isOver = running.ended.then(({ stderr }) => Promise.reject(new Error(`The server does not serve: ${stderr}`)))
  isOver.catch(() => {})
  const ready: Ready = JSON.parse(await Promise.race([running.firstLine, isOver]))
  return { ...running, ...ready }
}
