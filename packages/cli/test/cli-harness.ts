import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { createReferenceServer, type ReferenceServer, type ReferenceServerOptions } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { afterAll, beforeEach, onTestFinished } from 'vitest'
import { listenOn } from '../../kit/test/listen-on.ts'
import { type BuiltCommand, buildCommand } from './build-command.ts'

/** One build for all tests of a file. It is removed when the file is done. */
let command: Promise<BuiltCommand> | undefined
afterAll(async () => (await command)?.remove())

/** The url of an http server on a free port, which is closed after the test. */
export async function serve(respond: RequestListener): Promise<string> {
  const { port, close } = await listenOn(createServer(respond))
  onTestFinished(close)
  return `http://127.0.0.1:${port}`
}

/** What a command did. */
export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** How a command is started. */
interface StartOptions {
  input?: string | undefined
  env?: Record<string, string | undefined> | undefined
}

/** A folder, a service on a port, and the command as a user runs it. All are gone after the test. */
export class CliHarness {
  readonly folder = mkdtempSync(join(tmpdir(), 'modelrun-cli-'))
  readonly server: ReferenceServer
  readonly url: string
  /** The file of the command. */
  readonly command: string

  private constructor(server: ReferenceServer, url: string, path: string) {
    this.server = server
    this.url = url
    this.command = path
    onTestFinished(() => rm(this.folder, { recursive: true, force: true }))
  }

  static async create(options: ReferenceServerOptions = {}): Promise<CliHarness> {
    const server = createReferenceServer({ clock: 'system', latency: 0, ...options })
    const { url, close } = await listen(server)
    onTestFinished(async () => {
      await close()
      await server.close()
    })
    command ??= buildCommand()
    return new CliHarness(server, url, (await command).path)
  }

  /** The environment of a user. */
  env(more: Record<string, string | undefined> = {}): Record<string, string> {
    const { PATH = '', HOME = '' } = process.env
    const all = {
      PATH,
      HOME,
      MODELRUN_API_KEY: this.server.apiKey,
      MODELRUN_BASE_URL: this.url,
      MODELRUN_STATE_DIR: join(this.folder, 'state'),
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      ...more,
    }
    // Undefined leaves a variable out.
    return JSON.parse(JSON.stringify(all))
  }

  start(args: readonly string[], { env, input }: StartOptions = {}) {
    const child = spawn(process.execPath, [this.command, ...args], { cwd: this.folder, env: this.env(env) })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const printed = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => {
      printed.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      printed.stderr += chunk
    })
    const ended: Promise<Finished> = once(child, 'close').then(([code]) => ({ code, ...printed }))
    return { child, printed, ended }
  }

  run(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
    return this.start(args, options).ended
  }

  /** Runs a command with `--json`, and gives its objects. */
  async events(...args: string[]): Promise<{ code: number | null; events: Record<string, unknown>[] }> {
    const { code, stdout } = await this.run([...args, '--json'])
    return { code, events: (stdout.match(/.+/g) ?? []).map((line): Record<string, unknown> => JSON.parse(line)) }
  }

  /** Runs a command where it draws. */
  inTerminal(args: readonly string[], { cols = 80, env = {} }: { cols?: number; env?: Record<string, string> } = {}) {
    const options = { cols, rows: 24, cwd: this.folder, env: this.env({ TERM: 'xterm-256color', ...env }) }
    const pty = spawnPty(process.execPath, [this.command, ...args], options)
    let drawn = ''
    const waits: { text: RegExp; resolve: () => void }[] = []
    pty.onData((data) => {
      drawn += data
      for (const { text, resolve } of waits) if (text.test(drawn)) resolve()
    })
    const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
    /** Resolves when a text has been drawn. */
    const waitFor = (text: RegExp) =>
      new Promise<void>((resolve, reject) => {
        if (text.test(drawn)) resolve()
        waits.push({ text, resolve })
        void ended.then(() => reject(new Error(`It ended without ${text}: ${drawn}`)))
      })
    /** All that was drawn so far. */
    const drawnText = () => drawn
    return { pty, drawn: drawnText, waitFor, ended }
  }

  write(name: string, content: string | Buffer): Promise<void> {
    return writeFile(join(this.folder, name), content)
  }

  read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8')
  }

  /** Bodies of the runs that the service received, in order, as far as it keeps them. */
  bodies(): string[] {
    return this.server.journal.entries({ kind: 'request' }).flatMap((entry) => {
      return entry.kind === 'request' && entry.route === 'runModel' ? [entry.requestBody ?? ''] : []
    })
  }

  /** Their inputs. */
  inputs(): unknown[] {
    return this.bodies().map((body) => JSON.parse(body).input)
  }
}

/** That of the test that runs. */
export let cli: CliHarness

export async function openCli(options?: ReferenceServerOptions): Promise<void> {
  cli = await CliHarness.create(options)
}

/** Each test of the file has a harness of its own, in `cli`. */
export function useCli(options?: ReferenceServerOptions): void {
  beforeEach(() => openCli(options))
}

/** Starts a run, and gives the id of its job. */
export async function startRun(): Promise<string> {
  const { stdout } = await cli.run(['run', 'aurora-image', '--prompt', 'a fox', '--no-wait'])
  return stdout.trim()
}
