import { type Signal, useSignal } from '@preact/signals'
import { isPaused } from '../data/clock.ts'
import { currentKey } from '../data/keys.ts'
import { findJob, models, version } from '../data/store.ts'
import type { JobRow, Model } from '../data/wire.ts'
import { JobActions } from '../jobs/job-actions.tsx'
import { JobOutput } from '../jobs/job-output.tsx'
import { linkTo } from '../route.ts'
import { curlRun, runCall } from '../text/exchange-code.ts'
import { count, formatCategory } from '../text/format.ts'
import { StatusBadge, statusNow } from '../ui/badge.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Empty, Loading } from '../ui/empty.tsx'
import { Segments } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { InputForm, startValues, type Values } from './input-form.tsx'
import {
  keepForm,
  keepReceiver,
  keptForm,
  lastReceivers,
  type Mode,
  type RunOutcome,
  runBody,
  runModel,
} from './run.ts'

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

const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  async: 'The response comes at once: the job is queued, and the client polls.',
  sync: 'The service holds the connection until the job ends, about 55 s at most.',
  webhook: 'The result is posted to your app, or to a receiver that the server itself has.',
}

function Playground({ model }: { model: Model }) {
  const kept = keptForm(model.id)
  const values = useSignal<Values>(kept?.values ?? startValues(model))
  const mode = useSignal<Mode>(kept?.mode ?? 'async')
  const webhookUrl = useSignal(kept?.webhookUrl ?? '')
  const outcome = useSignal<RunOutcome | 'running' | undefined>(kept?.outcome)
  const body = runBody(values.value, mode.value, webhookUrl.value)
  const run = async (event: Event) => {
    event.preventDefault()
    outcome.value = 'running'
    keepReceiver(webhookUrl.value)
    const found = await runModel(model.id, body)
    outcome.value = found
    keepForm(model.id, { values: values.value, mode: mode.value, webhookUrl: webhookUrl.value, outcome: found })
  }
  const isRunning = outcome.value === 'running'
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
        <form class="card" onSubmit={run} onKeyDown={runOnEnter} aria-label="Run the model">
          <InputForm model={model} values={values} />
          <div class="runbar">
            <Segments label="How to run" options={MODES} value={mode} />
            <button type="submit" class="button primary" disabled={isRunning} title="Ctrl+Enter">
              <Icon name="play" />
              {isRunning ? 'Running …' : `Run for ${count(model.pricing.credits_per_run, 'credit')}`}
            </button>
          </div>
          <p class="muted small">
            {MODE_TEXTS[mode.value]} {count(currentKey.value?.credits.available ?? 0, 'credit')} left.
          </p>
          {mode.value === 'webhook' && <ReceiverField value={webhookUrl} />}
        </form>
        <div class="side">
          <Outcome outcome={outcome.value} />
          <CodeCard model={model.id} body={body} />
        </div>
      </div>
    </article>
  )
}

function runOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit()
}

/** Where the result goes. */
function ReceiverField({ value }: { value: Signal<string> }) {
  return (
    <label class="field">
      <span>Send the result to</span>
      <input
        type="url"
        list="receivers"
        placeholder="the receiver of this server, or http://localhost:3000/webhooks"
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      />
      <datalist id="receivers">
        {lastReceivers().map((url) => (
          <option key={url} value={url} />
        ))}
      </datalist>
    </label>
  )
}

function Outcome({ outcome }: { outcome: RunOutcome | 'running' | undefined }) {
  version.value
  const found = typeof outcome === 'object' ? outcome : undefined
  const job = findJob(found?.job_id ?? '')
  return (
    <>
      <section class={found === undefined ? 'hidden' : 'card result'} aria-label="Result" aria-live="polite">
        {found && <RunResult outcome={found} job={job} />}
      </section>
      {job?.status === 'succeeded' && <JobOutput jobId={job.job_id} />}
    </>
  )
}

function RunResult({
  outcome: { status, message, hint, job_id },
  job,
}: {
  outcome: RunOutcome
  job: JobRow | undefined
}) {
  const isBad = message !== undefined || (status ?? 0) >= 400
  const isHeld = status === undefined && message === undefined && job?.ended_at_ms === undefined
  return (
    <>
      {isBad && (
        <p class="notice bad">
          {status} {message} {hint}
        </p>
      )}
      {isHeld && (
        <p class="notice">
          {job_id === undefined
            ? 'No response so far: a fault holds it.'
            : 'The response waits for the end of the job.'}
          {isPaused.value && ' Time is paused: resume it, or move it on, above.'}
        </p>
      )}
      {job_id !== undefined && (
        <>
          <h2>
            <a class="mono" href={linkTo('jobs', job_id)}>
              {job_id}
            </a>
          </h2>
          {job && <StatusBadge status={statusNow(job)} />}
          <a class="button small" href={linkTo('jobs', job_id)}>
            <Icon name="jobs" />
            Sequence diagram
          </a>
          {job && <JobActions job={job} />}
        </>
      )}
    </>
  )
}

function CodeCard({ model, body }: { model: string; body: object }) {
  const kind = useSignal<string>('sdk')
  const client = `import { ModelRun } from 'modelrun'\n\nconst client = new ModelRun({ baseUrl: '${location.origin}' })`
  const text = kind.value === 'sdk' ? `${client}\n${runCall(model, body)}` : curlRun(model, body)
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
