import { useSignal } from '@preact/signals'
import { isPaused } from '../data/clock.ts'
import { currentKey } from '../data/keys.ts'
import { findJob, models, version } from '../data/store.ts'
import type { JobRow, Model } from '../data/wire.ts'
import { JobActions } from '../jobs/job-actions.tsx'
import { JobOutput } from '../jobs/job-output.tsx'
import { linkTo } from '../route.ts'
import { curlRun, runCall } from '../text/exchange-code.ts'
import { count } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { CodeTabs } from '../ui/code.tsx'
import { Segments } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty, StatusBadge } from '../ui/parts.tsx'
import { InputForm, startValues } from './input-form.tsx'
import { categoryText } from './model-list.tsx'
import { type Form, type Mode, type RunOutcome, runBody, runModel } from './run.ts'

export function ModelPage({ id }: { id: string }) {
  const model = models.value.find((one) => one.id === id)
  if (model !== undefined) return <Playground key={id} model={model} />
  return (
    <Empty isWhole icon="models" title="There is no such model">
      <a href={linkTo('models')}>All models</a>
    </Empty>
  )
}

const MODES = { async: 'Async', sync: 'Sync', webhook: 'Webhook' } as const

const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  async: 'The response comes at once: the job is queued, and the client polls.',
  sync: 'The service holds the connection until the job ends, about 55 s at most.',
  webhook: 'The result is posted to your app, or to a receiver that the server itself has.',
}

function Playground({ model }: { model: Model }) {
  const form = useSignal<Form>({ values: startValues(model), mode: 'async', webhookUrl: '' })
  const change = (changed: Partial<Form>) => {
    form.value = { ...form.value, ...changed }
  }
  const run = async (event: Event) => {
    event.preventDefault()
    change({ outcome: 'running' })
    change({ outcome: await runModel(model.id, form.value) })
  }
  const { values, mode, webhookUrl, outcome } = form.value
  const isRunning = outcome === 'running'
  return (
    <article aria-label={model.name}>
      <header class="jobhead">
        <a class="backlink" href={linkTo('models')}>
          <Icon name="back" />
          Models
        </a>
        <h1>{model.name}</h1>
        <span class="kind">{categoryText(model.category)}</span>
        <p class="lead">{model.description}</p>
      </header>
      <div class="split even">
        <form class="card" onSubmit={run} onKeyDown={runOnEnter} aria-label="Run the model">
          <InputForm model={model} values={values} set={(changed) => change({ values: changed })} />
          <div class="runbar">
            <Segments label="How to run" options={MODES} value={mode} set={(one) => change({ mode: one })} />
            <Button type="submit" kind="primary" icon="play" disabled={isRunning} title="Ctrl+Enter">
              {isRunning ? 'Running …' : `Run for ${count(model.pricing.credits_per_run, 'credit')}`}
            </Button>
          </div>
          <p class="muted small">
            {MODE_TEXTS[mode]} {count(currentKey.value?.credits.available ?? 0, 'credit')} left.
          </p>
          {mode === 'webhook' && <ReceiverField value={webhookUrl} set={(url) => change({ webhookUrl: url })} />}
        </form>
        <div class="side">
          <Outcome outcome={outcome} />
          <section class="card" aria-label="Code">
            <CodeTabs
              label="Code that does the same"
              codes={{
                TypeScript: clientCode(model.id, runBody(form.value)),
                curl: curlRun(model.id, runBody(form.value)),
              }}
            />
          </section>
        </div>
      </div>
    </article>
  )
}

function clientCode(model: string, body: object): string {
  const client = `const client = new ModelRun({ baseUrl: '${location.origin}' })`
  return `import { ModelRun } from 'modelrun'\n\n${client}\n${runCall(model, body)}`
}

function runOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit()
}

/** Where the result goes. */
function ReceiverField({ value, set }: { value: string; set: (url: string) => void }) {
  return (
    <label class="field">
      <span>Send the result to</span>
      <input
        type="url"
        placeholder="the receiver of this server, or http://localhost:3000/webhooks"
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
}

function Outcome({ outcome }: Pick<Form, 'outcome'>) {
  version.value
  const found = typeof outcome === 'object' ? outcome : undefined
  const job = findJob(found?.job_id ?? '')
  return (
    <>
      <section class={found === undefined ? 'hidden' : 'card result'} aria-label="Result" aria-live="polite">
        {found && <Response outcome={found} job={job} />}
        {job && <ResultJob job={job} />}
      </section>
      {job?.status === 'succeeded' && <JobOutput jobId={job.job_id} />}
    </>
  )
}

/** What went wrong, or why there is no response. */
function Response({ outcome, job }: { outcome: RunOutcome; job: JobRow | undefined }) {
  const { status, message } = outcome
  if (message !== undefined || (status ?? 0) >= 400) {
    return (
      <p class="notice bad">
        {status} {message}
      </p>
    )
  }
  if (status !== undefined || job?.ended_at_ms !== undefined) return null
  return (
    <p class="notice">
      {outcome.job_id === undefined
        ? 'No response so far: a fault holds it.'
        : 'The response waits for the end of the job.'}
      {isPaused.value && ' Time is paused: resume it, or move it on, above.'}
    </p>
  )
}

function ResultJob({ job }: { job: JobRow }) {
  const href = linkTo('jobs', job.job_id)
  return (
    <>
      <h2>
        <a class="mono" href={href}>
          {job.job_id}
        </a>
      </h2>
      <StatusBadge job={job} />
      <a class="button small" href={href}>
        <Icon name="jobs" />
        Sequence diagram
      </a>
      <JobActions job={job} />
    </>
  )
}
