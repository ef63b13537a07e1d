import { InsufficientCreditsError, ModelRun, ModelRunError } from 'modelrun'
import { useState } from 'react'

// No key: the proxy of the page's own server has it.
const client = new ModelRun({ baseUrl: '/api/modelrun' })

export function Draw() {
  const [picture, setPicture] = useState<string>()
  const [status, setStatus] = useState('')

  async function draw() {
    try {
      const options = { onStatus: (job: { status: string }) => setStatus(job.status) }
      const result = await client.run('aurora-image', { prompt: 'a red fox' }, options)
      setPicture(result.output.items[0]?.url)
    } catch (error) {
      if (!(error instanceof ModelRunError)) throw error
      setStatus(error instanceof InsufficientCreditsError ? 'Your credits of today are spent.' : error.message)
    }
  }

  return (
    <main>
      <button type="button" onClick={draw}>
        Draw
      </button>
      <p>{status}</p>
      {picture !== undefined && <img src={picture} alt="a red fox" />}
    </main>
  )
}
