// What a program in the frame imports: the client and the whole service, in one file.
import * as server from '@modelrun/reference-server'
import * as client from 'modelrun'
import * as webhooks from 'modelrun/webhooks'
import * as assert from './assert.ts'
import type { Switch } from './switches.ts'

type Server = server.ReferenceServer

const servers: Server[] = []
let switches: readonly Switch[] = []

const turnOn: Record<Switch, (server: Server) => void> = {
  reset: ({ faults }) => void faults.add({ kind: 'reset', route: 'runModel', when: 'after', times: 1 }),
  'rate-limit': ({ faults }) => void faults.add({ kind: 'rate-limit', route: 'runModel', times: 2, retry_after: 2 }),
  slow: ({ faults }) => void faults.add({ kind: 'slow-headers', route: 'getJob', delay_ms: 5_000 }),
  'lost-delivery': ({ webhooks: deliveries }) => void deliveries.script({ deliveries: 0 }),
  'two-deliveries': ({ webhooks: deliveries }) => void deliveries.script({ deliveries: 2 }),
}

function createReferenceServer(options?: server.ReferenceServerOptions): Server {
  const created = server.createReferenceServer(options)
  for (const one of switches) turnOn[one](created)
  servers.push(created)
  return created
}

export const modules: Record<string, object> = {
  modelrun: client,
  'modelrun/webhooks': webhooks,
  '@modelrun/reference-server': { ...server, createReferenceServer },
  'node:assert/strict': assert,
}

/** Before the program: what the servers that it creates do. */
export function start(chosen: readonly Switch[]): void {
  switches = chosen
}

const MAX_JOBS = 20
const MAX_FILES = 8

/** After the program: the lives of its jobs, and the images of their results. */
export async function collect() {
  const found = await Promise.all(servers.map((one) => livesOf(one).catch(() => ({ lives: [], files: [] }))))
  const lives = found.flatMap((one) => one.lives).slice(0, MAX_JOBS)
  return { lives, files: found.flatMap((one) => one.files).slice(0, MAX_FILES) }
}

async function livesOf(one: Server) {
  const get = (path: string) => one.fetch(new Request(new URL(path, one.baseUrl)))
  const { jobs } = (await (await get('/_reference/activity')).json()) as { jobs: { job_id: string }[] }
  const texts = await Promise.all(
    jobs.slice(0, MAX_JOBS).map(async ({ job_id }) => (await get(`/_reference/jobs/${job_id}/exchanges`)).text()),
  )
  const urls = new Set(
    texts.flatMap((text) => text.match(/https?:[^\s"\\]+\.(?:png|svg|jpe?g|webp)\b[^\s"\\]*/g) ?? []),
  )
  const files = await Promise.all([...urls].slice(0, MAX_FILES).map(async (url) => (await get(url)).blob()))
  return {
    lives: texts.map((text): unknown => JSON.parse(text)),
    files: files.filter(({ type }) => type.startsWith('image/')),
  }
}
