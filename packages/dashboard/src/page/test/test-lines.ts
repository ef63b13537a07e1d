import type { Action, JobRow } from '../data/wire.ts'
import { decoded, literal, parsed } from '../text/code.ts'
import { jobScript } from './job-scripts.ts'
import { advance, keyOptions, scaleText } from './line-parts.ts'

/** What the lines are made from. */
export interface TestSource {
  /** What was done, oldest first. */
  actions: readonly Action[]
  /** The job as it is now. */
  jobOf: (id: string) => JobRow | undefined
  /** The server's time now. */
  nowMs: number
  /** Whether a key is that of the first account. */
  isFirst: (key: string | undefined) => boolean
}

/** A test for vitest that does what was done to the server: at the same times, on a clock of its own. */
export function testLines(source: TestSource): string {
  const body = new TestBody(source).lines()
  return [
    "import { createReferenceServer } from '@modelrun/reference-server'",
    "import { ModelRun } from 'modelrun'",
    "import { expect, test } from 'vitest'",
    '',
    "test('does what was done to the server', async () => {",
    ...body.flatMap((part) => part.split('\n')).map((line) => (line === '' ? '' : `  ${line}`)),
    '})',
    '',
  ].join('\n')
}

/** The request of a run. */
interface Run {
  input?: object
  sync?: boolean
  webhook_url?: string
}

/** Faults for which a response waits: on a clock that the test moves, the test would wait for itself. */
const SLOW = ['hang', 'slow-headers', 'slow-body']

/** Writes the lines, and keeps the names of what they create. */
class TestBody {
  readonly #source: TestSource
  /** Names of the jobs that the client knows, and of the runs that it waits for. */
  readonly #jobs = new Map<string, string>()
  readonly #runs = new Map<string, string>()
  /** Jobs whose response was lost. */
  readonly #lost = new Set<string>()
  readonly #faults = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  /** Time of the last action that has lines. */
  #writtenMs: number | undefined

  constructor(source: TestSource) {
    this.#source = source
  }

  lines(): string[] {
    const { actions } = this.#source
    const hasWebhooks = actions.some((action) => action.call === 'runModel' && this.#mode(action) === 'webhook')
    return [
      "const server = createReferenceServer({ clock: 'manual' })",
      'const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })',
      ...(hasWebhooks ? ['server.webhooks.deliver(() => new Response(null, { status: 204 }))'] : []),
      ...actions.flatMap((action) => this.#timedLines(action)),
      ...this.#ending(),
      'await server.close()',
    ]
  }

  /** An action, after the time that passed since the one before it. */
  #timedLines(action: Action): string[] {
    const lines = this.#linesOf(action)
    if (lines.length === 0) return []
    const atMs = this.#timeOf(action)
    const writtenMs = this.#writtenMs ?? atMs
    this.#writtenMs = Math.max(atMs, writtenMs)
    return [...advance(atMs - writtenMs), ...lines]
  }

  /** The server takes a moment to read a run before it makes the job, from which its end is counted. */
  #timeOf({ call, job_id, at_ms }: Action): number {
    return (call === 'runModel' && job_id !== undefined && this.#source.jobOf(job_id)?.created_at_ms) || at_ms
  }

  #linesOf(action: Action): string[] {
    const { call, key, made = '', body } = action
    const given = Object(body)
    switch (call) {
      case 'runModel':
        return this.#runLines(action)
      case 'createKey':
      case 'rotateKey': {
        const name = `key${this.#keys.size + 1}`
        const making =
          call === 'createKey' ? `createKey(${literal(keyOptions(given))})` : `rotateKey(${this.#keyName(key)})`
        this.#keys.set(made, name)
        return [`const ${name} = server.${making}.key`]
      }
      case 'limitKey':
        return [`server.limitKey(${this.#keyName(key)}, ${literal(keyOptions(given))})`]
      case 'revokeKey':
        return [`server.revokeKey(${this.#keyName(key)})`]
      case 'setClockScale':
        return [`// ${scaleText(given.scale)}`]
      case 'setWebhooks':
        return [`server.webhooks.script(${literal(given)}${this.#keyArgument(key)})`]
      case 'addFault':
      case 'removeFaults':
        return this.#faultLines(action, given)
      default:
        return this.#jobLines(action, given)
    }
  }

  #faultLines({ call, key, made = '' }: Action, given: { kind?: string; id?: string }): string[] {
    if (call === 'removeFaults') {
      if (given.id === undefined) return [`server.faults.clear(${key === undefined ? '' : this.#keyName(key)})`]
      const name = this.#faults.get(`${key} ${given.id}`)
      return name === undefined ? [] : [`${name}.remove()`]
    }
    if (SLOW.includes(given.kind ?? ''))
      return [`// The fault ${given.kind} is left out: with it a call waits for the clock.`]
    const isRemoved = this.#source.actions.some(
      (other) => other.call === 'removeFaults' && other.key === key && Object(other.body).id === made,
    )
    const adding = `server.faults.add(${literal(given)}${this.#keyArgument(key)})`
    if (!isRemoved || made === '') return [adding]
    const name = `fault${this.#faults.size + 1}`
    this.#faults.set(`${key} ${made}`, name)
    return [`const ${name} = ${adding}`]
  }

  #jobLines({ call, job_id = '' }: Action, given: { output?: object; code?: string; message?: string }): string[] {
    const name = this.#jobs.get(job_id)
    if (name === undefined) return []
    switch (call) {
      case 'completeJob':
        return [`server.job(${name}.id).complete(${given.output === undefined ? '' : literal(given.output)})`]
      case 'failJob': {
        const reasons = [given.code, given.message].filter((part) => part !== undefined)
        return [`server.job(${name}.id).fail(${reasons.map((part) => literal(part)).join(', ')})`]
      }
      case 'cancelJob':
        return [`await ${name}.cancel()`]
      case 'getJob':
        return [`await expect(${name}.get()).rejects.toThrow()`]
      default:
        return [] // a script before the run, or the time that has passed, says it
    }
  }

  #runLines(run: Action): string[] {
    const { job_id, key, path = '', status } = run
    const model = literal(decoded(path.split('/').at(-2) ?? ''))
    const { input } = this.#requestOf(run)
    const mode = this.#mode(run)
    const options = { sync: ", { mode: 'sync' }", webhook: ", { webhookUrl: 'https://app.test/hook' }", async: '' }[
      mode
    ]
    const client = this.#source.isFirst(key)
      ? 'client'
      : `new ModelRun({ ...server.clientOptions(${this.#keyName(key)}), maxRetries: 0 })`
    const call = `${client}.${mode === 'sync' ? 'run' : 'submit'}(${model}, ${literal(input)}${options})`
    if (job_id === undefined) return [`await expect(${call}).rejects.toThrow()`]
    const own = this.#source.actions.filter((action) => action.job_id === job_id)
    const script = literal(jobScript(own, this.#source.jobOf(job_id)))
    const scripted = `server.script(${model}, [${script}]${this.#keyArgument(key)})`
    if (status === undefined || status >= 500) {
      this.#lost.add(job_id)
      return [scripted, `await expect(${call}).rejects.toThrow() // the response is lost, the job is not`]
    }
    const names = mode === 'sync' ? this.#runs : this.#jobs
    const name = `${mode === 'sync' ? 'run' : 'job'}${this.#jobs.size + this.#runs.size + 1}`
    names.set(job_id, name)
    return [scripted, `const ${name} = ${mode === 'sync' ? '' : 'await '}${call}`]
  }

  /** A run that made no job is known as text; a fault may have come before its body was read: then that of the next run. */
  #requestOf(run: Action): Run {
    if (typeof run.body === 'object' && run.body !== null) return run.body
    const request = parsed(run.body)
    if (request !== undefined) return { input: {}, ...request }
    const { actions } = this.#source
    const next = actions
      .slice(actions.indexOf(run) + 1)
      .find(({ call, path }) => call === 'runModel' && path === run.path)
    return next === undefined ? { input: {} } : this.#requestOf(next)
  }

  /** A synchronous run that something else is done to is submitted: its job is known from the start. */
  #mode(run: Action): 'sync' | 'async' | 'webhook' {
    const { sync, webhook_url } = this.#requestOf(run)
    if (webhook_url !== undefined) return 'webhook'
    if (sync === false || run.job_status === 'queued') return 'async'
    const { actions, jobOf } = this.#source
    const isTouched = actions.some(({ call, job_id }) => call !== 'runModel' && job_id && job_id === run.job_id)
    const hasSucceeded = run.job_id === undefined || jobOf(run.job_id)?.status === 'succeeded'
    return isTouched || !hasSucceeded ? 'async' : 'sync'
  }

  #ending(): string[] {
    const { actions, jobOf, isFirst } = this.#source
    const ids = [...this.#jobs.keys(), ...this.#runs.keys(), ...this.#lost]
    const known = ids.map(jobOf).filter((job) => job !== undefined)
    const endMs = endOf(known, this.#source.nowMs)
    const charged = known.reduce((sum, job) => sum + job.charged, 0)
    const isOver = known.length > 0 && known.every((job) => job.ended_at_ms !== undefined)
    const isSimple = actions.every(({ call, key }) => (call !== 'runModel' || isFirst(key)) && call !== 'limitKey')
    return [
      ...(this.#writtenMs === undefined || known.length === 0 ? [] : advance(endMs - this.#writtenMs)),
      '',
      ...known.flatMap((job) => this.#expectation(job, endMs)),
      ...(isOver && isSimple ? [`expect(server.credits()).toBe(${10_000 - charged})`] : []),
    ]
  }

  #expectation({ job_id, status, processing_at_ms }: JobRow, endMs: number): string[] {
    const name = this.#jobs.get(job_id)
    const run = this.#runs.get(job_id)
    const isProcessing = status === 'queued' && processing_at_ms <= endMs
    if (name !== undefined)
      return [`expect(server.job(${name}.id).status).toBe('${isProcessing ? 'processing' : status}')`]
    return run === undefined ? [] : [`expect((await ${run}).status).toBe('succeeded')`]
  }

  #keyName(key: string | undefined): string {
    return (key && this.#keys.get(key)) ?? 'server.apiKey'
  }

  #keyArgument(key: string | undefined): string {
    return this.#source.isFirst(key) ? '' : `, ${this.#keyName(key)}`
  }
}

/** When the test ends: what the page shows of its jobs is true then, however roughly it knows the time. */
function endOf(jobs: readonly JobRow[], nowMs: number): number {
  const unfinished = jobs.filter((job) => job.ended_at_ms === undefined)
  const ends = unfinished.map(({ ends_at_ms = Number.POSITIVE_INFINITY }) => ends_at_ms - 1)
  const ended = jobs.map(({ ended_at_ms = 0 }) => ended_at_ms)
  return Math.max(unfinished.length === 0 ? 0 : Math.min(nowMs, ...ends), ...ended)
}
