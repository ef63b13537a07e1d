import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageWithCause } from '@modelrun/kit'
import { type CliContext, EXIT, type ExitCode } from '../context.ts'
import { UsageError } from '../errors.ts'
import type { ConnectionOptions } from '../options.ts'
import type { Env } from '../terminal/terminal.ts'
import { callControl, devUrl, noDevServer } from './control.ts'

/** Options of `modelrun open`. */
export interface OpenOptions extends ConnectionOptions {
  print?: boolean | undefined
}

/** How long a program that opens a browser may take to say that there is none. */
const LAUNCH_MS = 2_000

/** Opens the dashboard of a service of `modelrun dev`, or the page of one job there. */
export async function openDashboard([jobId]: [string?], options: OpenOptions, context: CliContext): Promise<ExitCode> {
  const url = devUrl(options, context)
  const page = await fetch(`${url}/_dashboard/`).catch((error: unknown) => {
    throw noDevServer(url, messageWithCause(error))
  })
  if (!page.ok)
    throw new UsageError(
      `The service at ${url} has no dashboard: it is that of \`modelrun dev\`, with @modelrun/dashboard.`,
    )
  if (jobId !== undefined) {
    await callControl(url, `jobs/${encodeURIComponent(jobId)}`).catch((error: unknown) => {
      throw new UsageError(`The job ${jobId} cannot be opened: ${messageWithCause(error)}`)
    })
  }
  const target = jobId === undefined ? page.url : `${page.url}#/jobs/${encodeURIComponent(jobId)}`
  const isOpen = !options.print && (await launch(target, context.env))
  if (isOpen) context.terminal.say(`Opened ${target}`)
  else context.terminal.print(target)
  return EXIT.done
}

/** @returns false where no browser opens, as in a container or over ssh */
async function launch(url: string, env: Env): Promise<boolean> {
  const [program = '', ...args] = browserCommand(url, env)
  if (program === '') return false
  // A browser does not need the key.
  const ownEnv = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MODELRUN_')))
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env: ownEnv })
  const ended = once(child, 'exit').then(
    ([code]) => code === 0,
    () => false,
  )
  const isOpen = await Promise.race([ended, sleep(LAUNCH_MS, true, { ref: false })])
  child.unref()
  return isOpen
}

function browserCommand(url: string, env: Env): string[] {
  if (process.platform === 'darwin') return ['open', url]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url]
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open', url] : []
}
