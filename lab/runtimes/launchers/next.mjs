// Starts a built project, asks the program in one of its places, and with the routes of Node also the app of the guide.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createReferenceServer } from '@modelrun/reference-server'
import { listen } from '@modelrun/reference-server/node'
import { findClosedUrl } from '../services.mjs'
import { askWorker } from './ask-worker.mjs'
import { useGuide } from './next-guide.mjs'
import { findProject, quietly } from './next-project.mjs'

const [major, first, place, ...urls] = process.argv.slice(2)
const { folder, next, version } = findProject(major, first)
const server = createReferenceServer({ latency: 200 })
const service = await listen(server)
const url = await findClosedUrl()
const app = await startApp()
try {
  const found = await askWorker(fetch, `${url}/${place}`, urls)
  const guide = place === 'node' ? { guide: await useGuide(server, url) } : {}
  console.log(JSON.stringify({ ...found, version, facts: { ...found.facts, ...guide } }))
} finally {
  app.kill()
  await once(app, 'exit')
  await service.close()
  await server.close()
}

async function startApp() {
  const { hostname, port } = new URL(url)
  const env = {
    ...process.env,
    ...quietly,
    MODELRUN_API_KEY: server.apiKey,
    MODELRUN_BASE_URL: service.url,
    MODELRUN_PROXY_SECRET: 'a secret of thirty-two bytes, or more',
    INBOX_SECRET: 'a secret of thirty-two bytes, or more',
    INBOX_FILE: ':memory:',
    PUBLIC_URL: `${url}/api/webhooks`,
    CRON_SECRET: 'of the schedule',
  }
  const args = [next, 'start', '--hostname', hostname, '--port', port]
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready')) break
  child.stdout.resume()
  return child
}
