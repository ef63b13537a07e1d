import { type Signal, useSignal } from '@preact/signals'
import { findJob, jobsVersion, models } from '../data/store.ts'
import type { Model } from '../data/wire.ts'
import { JobActions } from '../jobs/job-actions.tsx'
import { JobOutput } from '../jobs/job-output.tsx'
import { linkTo } from '../route.ts'
import { shellQuoted } from '../text/code.ts'
import { runCall } from '../text/exchange-code.ts'
import { count, formatCategory } from '../text/format.ts'
import { StatusBadge, statusNow } from '../ui/badge.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty, Loading } from '../ui/empty.tsx'
import { Segments } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { InputForm, startValues, type Values } from './input-form.tsx'
import { type Mode, type RunOutcome, runBody, runModel, runPath } from './run.ts'

export function ModelPage({ id }: { id: string }) {
  if (models.value === undefined) return <Loading what="the model" />
  const model = models.value.find((one) => one.id === id)
  if (model !== undefined) return <Playground key={id} model={model} />
  return (
    <Empty isWhole icon="models" title="There is no such model">
      <a href={linkTo('models')}>All models</a>
    </Empty>
  )
}

const MODES = [
  { value: 'async', label: 'Async' },
  { value: 'sync', label: 'Sync' },
  { value: 'webhook', label: 'Webhook' },
] as const

function Playground({ model }: { model: Model }) {
  const values = useSignal<Values>(startValues(model))
  const mode = useSignal<string>('async')
  const outcome = useSignal<RunOutcome | 'running' | undefined>(undefined)
  const run = async (event: Event) => {
    event.preventDefault()
    outcome.value = 'running'
    outcome.value = await runModel(model.id, values.value, modeOf(mode))
  }
  return (
    <article aria-label={model.name}>
      <header class="jobhead">
        <a class="backlink" href={linkTo('models')}>
          <Icon name="back" />
          Models
        </a>
        <h1>{model.name}</h1>
        <span class="kind">{formatCategory(model.category)}</span>
        <p class="lead">{model.description}</p>
      </header>
      <div class="split even">
        <form class="card" onSubmit={run} aria-label="Run the model">
          <InputForm model={model} values={values} />
          <div class="runbar">
            <Segments label="How to run" options={MODES} value={mode} />
            <button type="submit" class="button primary" disabled={outcome.value === 'running'}>
              <Icon name="play" />
              {outcome.value === 'running' ? 'Running …' : `Run for ${count(model.pricing.credits_per_run, 'credit')}`}
            </button>
          </div>
          <p class="muted small">{MODE_TEXTS[modeOf(mode)]}</p>
        </form>
        <div class="side">
          <Outcome outcome={outcome.value} />
          <CodeCard model={model.id} values={values.value} mode={modeOf(mode)} />
        </div>
      </div>
    </article>
  )
}

const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  async: 'The response comes at once: the job is queued, and the client polls.',
  sync: 'The service holds the connection until the job ends, about 55 s at most.',
  webhook: 'The result is posted to a receiver that the server itself has.',
}

function modeOf({ value }: Signal<string>): Mode {
  return MODES.find((mode) => mode.value === value)?.value ?? 'async'
}

function Outcome({ outcome }: { outcome: RunOutcome | 'running' | undefined }) {
  jobsVersion.value
  if (outcome === undefined) return null
  if (outcome === 'running') return <p class="card muted">Waiting for the response …</p>
  const { status, jobId, message } = outcome
  if (jobId === undefined) {
    return (
      <section class="card bad" role="alert" aria-label="Result">
        <h2>{status ?? 'No response'}</h2>
        <p>{message}</p>
      </section>
    )
  }
  const job = findJob(jobId)
  return (
    <>
      <section class="card result" aria-label="Result">
        <h2>
          <a class="mono" href={linkTo('jobs', jobId)}>
            {jobId}
          </a>
        </h2>
        {job && <StatusBadge status={statusNow(job)} />}
        <a class="button small" href={linkTo('jobs', jobId)}>
          <Icon name="jobs" />
          Sequence diagram
        </a>
        {job && <JobActions job={job} />}
      </section>
      {job?.status === 'succeeded' && <JobOutput jobId={jobId} />}
    </>
  )
}

function CodeCard({ model, values, mode }: { model: string; values: Values; mode: Mode }) {
  const kind = useSignal('sdk')
  const body = runBody(values, mode)
  const text = kind.value === 'sdk' ? sdkCode(model, body) : curlCode(model, body)
  return (
    <section class="card" aria-label="Code">
      <div class="cardhead">
        <Segments
          label="Language"
          options={[
            { value: 'sdk', label: 'TypeScript' },
            { value: 'curl', label: 'curl' },
          ]}
          value={kind}
        />
        <CopyButton label="Copy" text={() => text} />
      </div>
      <Code text={text} label="Code that does the same" />
    </section>
  )
}

function sdkCode(model: string, body: object): string {
  return [
    "import { ModelRun } from 'modelrun'",
    '',
    `const client = new ModelRun({ baseUrl: '${location.origin}' })`,
    runCall(model, body),
  ].join('\n')
}

function curlCode(model: string, body: object): string {
  return [
    `curl ${shellQuoted(`${location.origin}${runPath(model)}`)} \\`,
    '  -H "authorization: Bearer $MODELRUN_API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d ${shellQuoted(JSON.stringify(body))}`,
  ].join('\n')
}
