import { JobFailedError } from 'modelrun'
import { ModelForm, useRun } from 'modelrun/react'

export function Draw() {
  const { run, cancel, status, progress, result, error } = useRun('aurora-image')
  return (
    <main>
      <ModelForm model="aurora-image" onSubmit={run}>
        <button type="submit" disabled={status === 'running'}>
          Draw
        </button>
      </ModelForm>
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
  if (error instanceof JobFailedError) return 'The picture could not be made.'
  return 'status' in error && error.status === 402 ? 'Your credits of today are spent.' : error.message
}
