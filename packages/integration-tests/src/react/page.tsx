/** @jsxImportSource react */
import { useRun } from 'modelrun/react'
import { type FormEvent, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

function Page() {
  const [isShown, setShown] = useState(true)
  return (
    <main>
      <h1>Images</h1>
      <button type="button" onClick={() => setShown(!isShown)}>
        {isShown ? 'Leave' : 'Return'}
      </button>
      {isShown && <Draw />}
    </main>
  )
}

function Draw() {
  const { run, cancel, reset, status, progress, result, error } = useRun('aurora-image')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    run({ prompt: String(new FormData(event.currentTarget).get('prompt')) })
  }
  return (
    <>
      <form onSubmit={submit} aria-label="Image">
        <textarea name="prompt" aria-label="prompt" required />
        <button type="submit">Draw</button>
      </form>
      <button type="button" onClick={cancel}>
        Cancel
      </button>
      <button type="button" onClick={reset}>
        Reset
      </button>
      <p id="status">{progress ? `${status}: ${progress.status}` : status}</p>
      {result && <img src={result.output.items[0]?.url} alt="A lighthouse" />}
      {error && <p role="alert">{error.message}</p>}
    </>
  )
}

const root = document.createElement('div')
document.body.append(root)
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
