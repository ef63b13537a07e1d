import { currentKey } from '../data/keys.ts'
import { models } from '../data/store.ts'
import { startValues } from '../models/input-form.tsx'
import { linkTo } from '../route.ts'
import { curlRun, runCode } from '../text/exchange-code.ts'
import { Button, CopyButton } from '../ui/button.tsx'
import { CodeTabs } from '../ui/code.tsx'
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
        <Button kind="primary" icon="play" act={playLostResponse}>
          Show me a lost response
        </Button>
      </div>
      <p class="muted">
        No code at hand? <a href={linkTo('models')}>Run a model from a form.</a>
      </p>
    </section>
  )
}

/** Where the service is, and how code finds it. */
export function Connect() {
  const key = currentKey.value?.key ?? ''
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
      <CodeTabs label="Code to connect" codes={codesFor(key)} />
    </>
  )
}

function codesFor(key: string): Record<string, string> {
  const [model] = models.value
  const input = model === undefined ? {} : startValues(model)
  const id = model?.id ?? 'aurora-image'
  return {
    Environment: `export MODELRUN_BASE_URL='${location.origin}'\nexport MODELRUN_API_KEY='${key}'`,
    TypeScript: runCode(id, { input }, key),
    curl: curlRun(id, { input }, key),
  }
}
