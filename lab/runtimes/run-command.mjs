import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

const TIME_LIMIT_MS = 60_000

/** Runs a command in this folder, without keys in its environment, and gives what it printed. */
export async function runCommand([file, ...args], timeLimitMs = TIME_LIMIT_MS) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(MODELRUN|NODE)_/.test(name)))
  const options = { cwd: import.meta.dirname, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }
  const child = spawn(file, args, options)
  // The whole group: some runtimes are the child of a launcher.
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), timeLimitMs)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  clearTimeout(timer)
  if (code === 0) return stdout
  throw new Error(`${code === null ? `no end within ${timeLimitMs} ms` : `exit code ${code}`}\n${stdout}${stderr}`)
}
