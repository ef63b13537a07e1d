/// <reference types="vite/client" />
import { ModelRun, ModelRunError } from 'modelrun'

// The page as it is in production: no key, and a proxy on its own server.
const client = new ModelRun({ baseUrl: '/api/modelrun' })

const form = document.querySelector('form')
const message = document.querySelector('p')
const image = document.querySelector('img')

async function draw(prompt: string): Promise<void> {
  const { output } = await client.run('aurora-image', { prompt }, { onStatus: ({ status }) => say(status) })
  image?.setAttribute('src', output.items[0]?.url ?? '')
  say('Done')
}

function say(text: string): void {
  if (message) message.textContent = text
}

async function start(): Promise<void> {
  if (import.meta.env.DEV) await (await import('./mocks.ts')).startMocks()
  form?.addEventListener('submit', (event) => {
    event.preventDefault()
    draw(String(new FormData(form).get('prompt'))).catch((error) => {
      say(error instanceof ModelRunError && error.submission === 'unknown' ? 'It may have been paid.' : 'It failed.')
    })
  })
  say('Ready')
}

await start()
