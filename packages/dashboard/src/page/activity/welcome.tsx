import { useSignal } from '@preact/signals'
import { currentKey } from '../data/keys.ts'
import { models } from '../data/store.ts'
import { startValues } from '../models/input-form.tsx'
import { linkTo } from '../route.ts'
import { curlRun, runCall } from '../text/exchange-code.ts'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Segments } from '../ui/fields.tsx'
import { Icon } from '../ui/icon.tsx'
import { attempt } from '../ui/toast.tsx'
import { playLostResponse } from './story.ts'

/** The first screen, until the first request: what this is, and what to do. */
export function Welcome() {
  return (
    <section class="welcome" aria-label="Start">
      <h1>A model inference service on your machine. Nothing is charged.</h1>
      <p class="lead">Send your code here instead of to the real service: every request shows up on this screen.</p>
      <div class="card">
        <Connect />
      </div>
      <div class="card start">
        <div>
          <h2>Or watch first</h2>
          <p class="muted">
            A run is sent, and its response never arrives. What happens to the job, and to the credits?
          </p>
        </div>
        <button type="button" class="button primary" onClick={() => attempt(playLostResponse)}>
          <Icon name="play" />
          Show me a lost response
        </button>
      </div>
      <p class="muted">
        No code at hand? <a href={linkTo('models')}>Run a model from a form.</a>
      </p>
    </section>
  )
}

const LANGUAGES = [
  { value: 'environment', label: 'Environment' },
  { value: 'typescript', label: 'TypeScript' },
  { value: 'curl', label: 'curl' },
] as const

/** Where the service is, and how code finds it. */
export function Connect() {
  const language = useSignal<string>('environment')
  const key = currentKey.value?.key ?? ''
  const code = codeFor(language.value, key)
  return (
    <>
      <dl class="connection">
        {Object.entries({ url: location.origin, key }).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span class="mono">{value}</span> <CopyButton label={`Copy ${name}`} text={() => value} />
            </dd>
          </div>
        ))}
      </dl>
      <div class="cardhead">
        <Segments label="Language" options={LANGUAGES} value={language} />
        <CopyButton label="Copy code" text={() => code} />
      </div>
      <Code text={code} label="Code to connect" />
    </>
  )
}

function codeFor(language: string, key: string): string {
  const [model] = models.value ?? []
  const input = model === undefined ? {} : startValues(model)
  const id = model?.id ?? 'aurora-image'
  switch (language) {
    case 'typescript':
      return [
        "import { ModelRun } from 'modelrun'",
        '',
        `const client = new ModelRun({ baseUrl: '${location.origin}', apiKey: '${key}' })`,
        runCall(id, { input }),
      ].join('\n')
    case 'curl':
      return curlRun(id, { input }, key)
    default:
      return `export MODELRUN_BASE_URL='${location.origin}'\nexport MODELRUN_API_KEY='${key}'`
  }
}
