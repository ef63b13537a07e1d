/** @jsxImportSource react */
'use client'

import { ModelForm, useRun } from 'modelrun/react'

/** A form made from the schema of the model, and a run that survives a reload. The key stays behind the proxy. */
export default function Draw() {
  const { run, cancel, status, result, error } = useRun('aurora-image')
  const isRunning = status === 'running'
  return (
    <main>
      <ModelForm model="aurora-image" onSubmit={run}>
        <button type="submit" disabled={isRunning}>
          Draw
        </button>
      </ModelForm>
      {isRunning && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
      <p role="status">{error ? 'It failed.' : status}</p>
      {result && <img src={result.output.items[0]?.url} alt="What the prompt describes" />}
    </main>
  )
}
