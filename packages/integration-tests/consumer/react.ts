import { ModelRun } from 'modelrun'
import { type RunState, useRun } from 'modelrun/react'
import { createElement, type ReactElement } from 'react'

const client = new ModelRun({ baseUrl: '/api/modelrun' })

export function Draw(): ReactElement {
  const { run, cancel, ...state } = useRun('aurora-image', { client, key: 'first' })
  if (state.status === 'running')
    return createElement('button', { type: 'button', onClick: cancel }, state.progress.status)
  const start = () => run({ prompt: 'a red fox' })
  return createElement('div', {}, createElement('button', { type: 'button', onClick: start }), textOf(state))
}

function textOf(state: RunState): string {
  if (state.status === 'succeeded') return state.result.output.items[0]?.url ?? ''
  // @ts-expect-error: only a run that failed has an error
  if (state.status === 'idle') return state.error.message
  return state.status === 'unknown' || state.status === 'failed' ? state.error.message : ''
}
