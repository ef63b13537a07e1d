import { Diagram, type Life } from '@modelrun/dashboard/diagram'
import { useEffect, useState } from 'preact/hooks'
import { type Outcome, runInFrame } from './frame.ts'
import { SWITCHES, type Switch } from './switches.ts'
import '../../../../packages/dashboard/src/page/style/diagram.css'
import tokens from '../../../../packages/dashboard/src/page/style/tokens.css?raw'

const style = document.createElement('style')
style.textContent = tokens.replace(':root {', '.play {')
document.head.append(style)

interface PanelProps {
  /** The program as JavaScript, when it is about to run. */
  readCode: () => string | Promise<string>
}

/** Runs a program, and shows what it printed, its images and the lives of its jobs. */
export function Panel({ readCode }: PanelProps) {
  const [switches, setSwitches] = useState<readonly Switch[]>([])
  const [lines, setLines] = useState<readonly string[]>([])
  const [outcome, setOutcome] = useState<Outcome>()
  const run = async (chosen: readonly Switch[]) => {
    setSwitches(chosen)
    setLines([])
    setOutcome(undefined)
    try {
      const code = await readCode()
      setOutcome(
        await runInFrame({ code, switches: chosen, onLine: (text) => setLines((before) => [...before, text]) }),
      )
    } catch (error) {
      setOutcome({ error: String(error), lives: [], files: [] })
    }
  }
  useEffect(() => void run([]), [])
  const state = outcome === undefined ? 'running' : outcome.error === undefined ? 'done' : 'failed'
  return (
    <section class="play not-content" aria-label="The program that ran" data-state={state}>
      <Switches chosen={switches} choose={(chosen) => void run(chosen)} />
      <div role="status">
        <pre tabIndex={0} role="region" aria-label="What it printed">
          {lines.join('\n')}
        </pre>
        {outcome?.error !== undefined && <p class="failed">{outcome.error}</p>}
        {state === 'running' && <p>Running …</p>}
      </div>
      <Images files={outcome?.files ?? []} />
      {(outcome?.lives.length ?? 0) > 0 && <Lives lives={outcome?.lives ?? []} />}
    </section>
  )
}

interface SwitchesProps {
  chosen: readonly Switch[]
  choose: (switches: readonly Switch[]) => void
}

function Switches({ chosen, choose }: SwitchesProps) {
  return (
    <fieldset>
      <legend>What the service does wrong</legend>
      {Object.entries(SWITCHES).map(([name, label]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.some((one) => one === name)}
            onChange={({ currentTarget }) => {
              const others = chosen.filter((one) => one !== name)
              choose(currentTarget.checked ? [...others, name as Switch] : others)
            }}
          />{' '}
          {label}
        </label>
      ))}
      <button type="button" onClick={() => choose(chosen)}>
        Run again
      </button>
    </fieldset>
  )
}

function Images({ files }: { files: readonly Blob[] }) {
  const [urls, setUrls] = useState<readonly string[]>([])
  useEffect(() => {
    const made = files.map((file) => URL.createObjectURL(file))
    setUrls(made)
    return () => {
      for (const url of made) URL.revokeObjectURL(url)
    }
  }, [files])
  return (
    <div class="images">
      {urls.map((url, index) => (
        <img key={url} src={url} alt={`Result ${index + 1}`} />
      ))}
    </div>
  )
}

/** The jobs of the program, one at a time, until the chosen moment of the server's time. */
function Lives({ lives }: { lives: readonly Life[] }) {
  const [chosen, setChosen] = useState(0)
  const [until, setUntil] = useState(1)
  const life = lives[Math.min(chosen, lives.length - 1)]
  if (life === undefined) return null
  const times = life.exchanges.map(({ at_ms }) => at_ms)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const end = first + (last - first) * until
  return (
    <>
      {lives.length > 1 && (
        <label>
          Job{' '}
          <select value={chosen} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
            {lives.map(({ job }, index) => (
              <option key={job.job_id} value={index}>
                {job.job_id} ({job.status})
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Until {Math.round(end - first)} ms of the service's time{' '}
        <input
          type="range"
          min="0"
          max="1"
          step="0.01"
          value={until}
          onInput={(event) => setUntil(Number(event.currentTarget.value))}
        />
      </label>
      <Diagram life={{ ...life, exchanges: life.exchanges.filter(({ at_ms }) => at_ms <= end) }} />
    </>
  )
}
