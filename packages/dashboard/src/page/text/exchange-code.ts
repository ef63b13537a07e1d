import type { RequestExchange } from '../data/wire.ts'
import { shellQuoted } from './code.ts'

/** Stands where a key belongs: no code that is copied holds one. */
const KEY = '$MODELRUN_API_KEY'

interface CurlOptions {
  method?: string
  key?: string | undefined
  body?: string | undefined
}

function curl(url: string, { method = 'POST', key, body }: CurlOptions): string {
  const parts = [`curl ${shellQuoted(url)}`]
  if (method !== (body === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  if (key !== undefined) parts.push(`-H "authorization: Bearer ${key}"`)
  if (body !== undefined) parts.push("-H 'content-type: application/json'", `-d ${shellQuoted(body)}`)
  return parts.join(' \\\n  ')
}

export function curlOf({ method, path, route, request_body: body }: RequestExchange, origin: string): string {
  return curl(`${origin}${path}`, { method, key: route === 'control' ? undefined : KEY, body })
}

export function curlRun(model: string, body: object, key = KEY): string {
  const url = `${location.origin}/v1/models/${encodeURIComponent(model)}/run`
  return curl(url, { key, body: JSON.stringify(body) })
}

interface RunBody {
  input?: unknown
  sync?: boolean
  webhook_url?: string
}

export function runCode(model: string, body: RunBody, key?: string): string {
  const apiKey = key === undefined ? '' : `, apiKey: '${key}'`
  const client = `const client = new ModelRun({ baseUrl: '${location.origin}'${apiKey} })`
  return `import { ModelRun } from 'modelrun'\n\n${client}\n${runCall(model, body)}`
}

function runCall(model: string, { input = {}, sync, webhook_url }: RunBody): string {
  const args = `${JSON.stringify(model)}, ${JSON.stringify(input, null, 2)}`
  if (webhook_url !== undefined)
    return `const job = await client.submit(${args}, { webhookUrl: ${JSON.stringify(webhook_url)} })`
  if (sync === false) return `const job = await client.submit(${args})\nconst result = await job.result()`
  return `const result = await client.run(${args}, { mode: 'sync' })`
}
