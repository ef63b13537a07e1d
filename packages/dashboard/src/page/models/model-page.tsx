import { useSignal } from '@preact/signals'
import { currentKey } from '../data/keys.ts'
import { models } from '../data/store.ts'
import type { Model } from '../data/wire.ts'
import { linkTo } from '../route.ts'
import { curlRun, runCode } from '../text/exchange-code.ts'
import { count } from '../text/format.ts'
import { Button } from '../ui/button.tsx'
import { CodeTabs } from '../ui/code.tsx'
import { InputField, Segments } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { Empty } from '../ui/parts.tsx'
import { InputForm, startValues } from './input-form.tsx'
import { categoryText } from './model-list.tsx'
import { type Form, type Mode, runBody, runModel } from './run.ts'

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
        <RunForm
          model={model}
          form={form.value}
          change={(changed) => {
            form.value = { ...form.value, ...changed }
          }}
        />
        <section class="card" aria-label="Code">
          <CodeTabs
            label="Code that does the same"
            codes={{
              TypeScript: runCode(model.id, runBody(form.value)),
              curl: curlRun(model.id, runBody(form.value)),
            }}
          />
        </section>
      </div>
    </article>
  )
}

/** Leads to the page of the job, or says why there is none. */
function RunForm({ model, form, change }: { model: Model; form: Form; change: (changed: Partial<Form>) => void }) {
  const isRunning = useSignal(false)
  const problem = useSignal('')
  const run = async (event: Event) => {
    event.preventDefault()
    isRunning.value = true
    problem.value = await runModel(model.id, form).then(
      () => '',
      ({ message }: Error) => message,
    )
    isRunning.value = false
  }
  return (
    <form class="card" onSubmit={run} onKeyDown={runOnEnter} aria-label="Run the model">
      <InputForm model={model} values={form.values} set={(values) => change({ values })} />
      <div class="runbar">
        <Segments label="How to run" options={MODES} value={form.mode} set={(mode) => change({ mode })} />
        <Button type="submit" kind="primary" icon="play" disabled={isRunning.value} title="Ctrl+Enter">
          {isRunning.value ? 'Running …' : `Run for ${count(model.pricing.credits_per_run, 'credit')}`}
        </Button>
      </div>
      <p class="muted small">
        {MODE_TEXTS[form.mode]} {count(currentKey.value?.credits.available ?? 0, 'credit')} left.
      </p>
      {form.mode === 'webhook' && (
        <InputField
          label="Send the result to"
          type="url"
          placeholder="the receiver of this server, or http://localhost:3000/webhooks"
          value={form.webhookUrl}
          onInput={({ currentTarget }) => change({ webhookUrl: currentTarget.value })}
        />
      )}
      <p class={problem.value === '' ? 'hidden' : 'notice bad'} role="status">
        {problem.value}
      </p>
    </form>
  )
}

function runOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit()
}
