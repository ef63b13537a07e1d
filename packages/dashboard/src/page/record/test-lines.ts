import type { JobRow } from '../data/wire.ts'
import { literal } from '../text/code.ts'
import { actionTimes } from './action-times.ts'
import { jobScripts } from './job-scripts.ts'
import type { Recorded } from './record.ts'

/** What the lines are made from. */
export interface TestSource {
  actions: readonly Recorded[]
  /** The job as it is now. */
  jobOf: (id: string) => JobRow | undefined
  /** The server's time now. */
  nowMs: number
}

/** A test for vitest that does what was done on the page: at the same times, on a clock of its own. */
export function testLines(source: TestSource): string {
  const body = new TestBody(source).lines()
  return [
    "import { createReferenceServer } from '@modelrun/reference-server'",
    "import { ModelRun } from 'modelrun'",
    "import { expect, test } from 'vitest'",
    '',
    "test('does what was done on the dashboard', async () => {",
    ...body.map((line) => (line === '' ? '' : `  ${line}`)),
    '})',
    '',
  ].join('\n')
}

/** Writes the lines, and keeps the names of what they create. */
class TestBody {
  readonly #source: TestSource
  readonly #jobs = new Map<string, string>()
  readonly #faults = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  readonly #runs = new Map<string, string>()
  readonly #scripts: ReadonlyMap<string, object>
  /** Time of the last action that has lines. */
  #writtenMs: number | undefined

  constructor(source: TestSource) {
    this.#source = source
    this.#scripts = jobScripts(source.actions, source.jobOf)
  }

  lines(): string[] {
    const { actions } = this.#source
    const hasWebhooks = actions.some((action) => action.kind === 'run' && this.#mode(action) === 'webhook')
    return [
      "const server = createReferenceServer({ clock: 'manual' })",
      'const client = new ModelRun({ ...server.clientOptions(), maxRetries: 0 })',
      ...(hasWebhooks ? ['server.webhooks.deliver(() => new Response(null, { status: 204 }))'] : []),
      ...this.#actionLines(),
      ...this.#ending(),
      'await server.close()',
    ]
  }

  /**
   * Each action, after the time that passed since the one before it: however fast time passed on the page, it is there by
   * then.
   */
  #actionLines(): string[] {
    const { actions, jobOf } = this.#source
    const times = actionTimes(actions, jobOf)
    return actions.flatMap((action, index) => {
      const lines = this.#linesOf(action)
      if (lines.length === 0) return []
      const atMs = times[index] ?? action.atMs
      const writtenMs = this.#writtenMs ?? atMs
      this.#writtenMs = action.kind === 'restore' ? action.toMs : Math.max(atMs, writtenMs)
      return [...advance(atMs - writtenMs), ...lines]
    })
  }

  #linesOf(action: Recorded): string[] {
    switch (action.kind) {
      case 'run':
        return this.#runLines(action)
      case 'createKey':
        this.#keys.set(action.key, `key${this.#keys.size + 1}`)
        return [`const ${this.#keys.get(action.key)} = server.createKey(${literal(action.options)}).key`]
      case 'limitKey':
        return [`server.limitKey(${this.#keyName(action.key)}, ${literal(action.limits)})`]
      case 'revokeKey':
        return [`server.revokeKey(${this.#keyName(action.key)})`]
      case 'snapshot':
        return [`const ${action.name} = server.snapshot()`]
      case 'restore':
        return [`server.restore(${action.name})`]
      case 'reset':
        return ['server.reset()']
      case 'scale':
        return [`// ${scaleText(action.scale)}`]
      case 'webhooks':
        return [`server.webhooks.script(${literal(action.plan)}${this.#keyArgument(action.key)})`]
      default:
        return this.#moreLines(action)
    }
  }

  #moreLines(action: Recorded): string[] {
    switch (action.kind) {
      case 'fault': {
        const name = `fault${this.#faults.size + 1}`
        this.#faults.set(action.id, name)
        const call = `server.faults.add(${literal(action.fault)}${this.#keyArgument(action.key)})`
        return [this.#isRemoved(action.id) ? `const ${name} = ${call}` : call]
      }
      case 'removeFault':
        return this.#faults.has(action.id) ? [`${this.#faults.get(action.id)}.remove()`] : []
      case 'clearFaults':
        return [`server.faults.clear(${action.key === undefined ? '' : this.#keyName(action.key)})`]
      case 'complete':
        return this.#onJob(action.jobId, (name) => `server.job(${name}.id).complete()`)
      case 'fail':
        return this.#onJob(action.jobId, (name) => `server.job(${name}.id).fail()`)
      case 'cancel':
        return this.#onJob(action.jobId, (name) => `await ${name}.cancel()`)
      default:
        return [] // a script before the run, or the time that has passed, says it
    }
  }

  #runLines(run: Recorded & { kind: 'run' }): string[] {
    const { model, input, jobId, key } = run
    const mode = this.#mode(run)
    const client = this.#clientFor(key)
    const args = `${literal(model)}, ${literal(input)}`
    const options = { sync: ", { mode: 'sync' }", webhook: ", { webhookUrl: 'https://app.test/hook' }", async: '' }[
      mode
    ]
    if (jobId === undefined) {
      const call = mode === 'sync' ? 'run' : 'submit'
      return [...client.lines, `await expect(${client.name}.${call}(${args}${options})).rejects.toThrow()`]
    }
    const script = this.#scripts.get(jobId)
    const scripted = script && [`server.script(${literal(model)}, [${literal(script)}]${this.#keyArgument(key)})`]
    const number = this.#jobs.size + this.#runs.size + 1
    if (mode === 'sync') {
      this.#runs.set(jobId, `run${number}`)
      return [...client.lines, ...(scripted ?? []), `const run${number} = ${client.name}.run(${args}${options})`]
    }
    this.#jobs.set(jobId, `job${number}`)
    return [...client.lines, ...(scripted ?? []), `const job${number} = await ${client.name}.submit(${args}${options})`]
  }

  /** A synchronous run that something else is done to is submitted: its job is known from the start. */
  #mode({ mode, jobId }: Recorded & { kind: 'run' }): 'sync' | 'async' | 'webhook' {
    if (mode !== 'sync') return mode
    const isTouched = this.#source.actions.some(
      (action) => action.kind !== 'run' && 'jobId' in action && action.jobId === jobId,
    )
    const hasSucceeded = jobId === undefined || this.#source.jobOf(jobId)?.status === 'succeeded'
    return isTouched || !hasSucceeded ? 'async' : 'sync'
  }

  #ending(): string[] {
    const { actions, jobOf } = this.#source
    const known = [...this.#jobs.keys(), ...this.#runs.keys()].map(jobOf).filter((job) => job !== undefined)
    const endMs = endOf(known, this.#source.nowMs)
    const charged = known.reduce((sum, job) => sum + job.charged, 0)
    const isOver = known.length > 0 && known.every((job) => job.ended_at_ms !== undefined)
    const isFirstAccount = actions.every((action) => action.kind !== 'run' || action.key === undefined)
    const before = actions.some(({ kind }) => kind === 'reset' || kind === 'restore')
    return [
      ...(this.#writtenMs === undefined || known.length === 0 ? [] : advance(endMs - this.#writtenMs)),
      '',
      ...known.map((job) => this.#expectation(job, endMs)),
      ...(isOver && isFirstAccount && !before ? [`expect(server.credits()).toBe(${10_000 - charged})`] : []),
    ]
  }

  #expectation({ job_id, status, processing_at_ms }: JobRow, endMs: number): string {
    const name = this.#jobs.get(job_id)
    const isProcessing = status === 'queued' && processing_at_ms <= endMs
    if (name !== undefined)
      return `expect(server.job(${name}.id).status).toBe('${isProcessing ? 'processing' : status}')`
    return `expect((await ${this.#runs.get(job_id)}).status).toBe('succeeded')`
  }

  #clientFor(key: string | undefined): { name: string; lines: string[] } {
    if (key === undefined) return { name: 'client', lines: [] }
    return { name: `new ModelRun({ ...server.clientOptions(${this.#keyName(key)}), maxRetries: 0 })`, lines: [] }
  }

  #keyName(key: string): string {
    return this.#keys.get(key) ?? 'server.apiKey'
  }

  #keyArgument(key: string | undefined): string {
    return key === undefined ? '' : `, ${this.#keyName(key)}`
  }

  #isRemoved(id: string): boolean {
    return this.#source.actions.some((action) => action.kind === 'removeFault' && action.id === id)
  }

  #onJob(jobId: string, line: (name: string) => string): string[] {
    const name = this.#jobs.get(jobId)
    return name === undefined ? [] : [line(name)]
  }
}

/** When the test ends: what the page shows of its jobs is true then, however roughly it knows the time. */
function endOf(jobs: readonly JobRow[], nowMs: number): number {
  const unfinished = jobs.filter((job) => job.ended_at_ms === undefined)
  const ends = unfinished.map(({ ends_at_ms = Number.POSITIVE_INFINITY }) => ends_at_ms - 1)
  return Math.max(Math.min(nowMs, ...ends), ...jobs.map(({ ended_at_ms = 0 }) => ended_at_ms))
}

function scaleText(scale: number): string {
  if (scale === 0) return 'Time was paused.'
  return scale === 1 ? 'Time continued at the speed of real time.' : `Time continued ${scale} times as fast.`
}

function advance(ms: number): string[] {
  const whole = Math.ceil(ms)
  return whole > 0 ? [`await server.clock.advance(${group(whole)})`] : []
}

/** `12_500`: as people write it. */
function group(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '_')
}
