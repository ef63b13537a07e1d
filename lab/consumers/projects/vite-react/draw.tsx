import { JobFailedError } from 'modelrun'
import { useRun } from 'modelrun/react'
import type { FormEvent } from 'react'

export function Draw() {
  const { run, cancel, status, progress, result, error } = useRun('aurora-image')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    run({ prompt: String(new FormData(event.currentTarget).get('prompt')) })
  }
  return (
    <main>
      <form onSubmit={submit}>
        <input name="prompt" aria-label="prompt" required />
        <button type="submit" disabled={status === 'running'}>
          Draw
        </button>
      </form>
      {progress && (
        <button type="button" onClick={cancel} disabled={progress.isCancelling}>
          Cancel
        </button>
      )}
      <p role="status">{error ? textFor(error) : (progress?.status ?? status)}</p>
      {result && <img src={result.output.items[0]?.url} alt="a red fox" />}
    </main>
  )
}

function textFor(error: Error): string {
  if (error instanceof JobFailedError) return 'The image could not be made.'
  return 'status' in error && error.status === 402 ? 'Your credits of today are spent.' : error.message
}
