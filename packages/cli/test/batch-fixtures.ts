import { text } from 'node:stream/consumers'
import { type CliHarness, serve } from './cli-harness.ts'

/** A batch that no limit slows down. */
export const BATCH = [
  'batch',
  'aurora-image',
  '--out',
  'out',
  '--max-credits',
  '100000',
  '--polls-per-second',
  '1000',
] as const

/** How often each prompt was sent. */
export function sendsByPrompt(cli: CliHarness): Map<string, number> {
  const counts = new Map<string, number>()
  for (const body of cli.bodies()) {
    const { prompt }: { prompt: string } = JSON.parse(body).input
    counts.set(prompt, (counts.get(prompt) ?? 0) + 1)
  }
  return counts
}

/** A host of small files, which cost no time. */
export interface SmallFiles {
  /** The next runs succeed, with these files. */
  script(cli: CliHarness, count: number): void
  /** Whether the files are not found. */
  areMissing: boolean
}

export async function serveSmallFiles(): Promise<SmallFiles> {
  const url = await serve((request, response) => {
    response.writeHead(files.areMissing ? 404 : 200, { 'content-type': 'image/png' }).end(request.url)
  })
  const files: SmallFiles = {
    areMissing: false,
    script: (cli, count) => {
      const outcomes = Array.from({ length: count }, (_, index) => {
        const items = [{ type: 'image', url: `${url}/${index}.png` }]
        return { result: 'succeeded' as const, output: { type: 'image', items } }
      })
      cli.server.script('aurora-image', outcomes)
    },
  }
  return files
}

/** The service, whose models have a price and a name that change. */
export interface DearService {
  price: number
  id: string | undefined
  env: Record<string, string>
}

/** The service behind something that changes what it says of models. */
export async function serveDear(cli: CliHarness): Promise<DearService> {
  const url = await serve(async (request, response) => {
    const body = request.method === 'POST' ? await text(request) : undefined
    const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
    const theirs = await fetch(`${cli.url}${request.url}`, {
      method: request.method ?? '',
      headers,
      body: body ?? null,
    })
    const json: object = await theirs.json()
    const said = 'pricing' in json ? { ...json, id: dear.id, pricing: { credits_per_run: dear.price } } : json
    response.writeHead(theirs.status, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  })
  const dear: DearService = { price: 25, id: 'aurora-image', env: { MODELRUN_BASE_URL: url } }
  return dear
}

/** A service that rejects some prompts. */
export interface RejectingService {
  /** The prompts that it rejected. */
  rejected: string[]
  env: Record<string, string>
}

/** The service behind a filter that rejects some prompts, as many services do. */
export async function rejecting(cli: CliHarness, isRejected: (prompt: string) => boolean): Promise<RejectingService> {
  const rejected: string[] = []
  const url = await serve(async (request, response) => {
    const body = request.method === 'POST' ? await text(request) : undefined
    const prompt = body === undefined ? '' : String(JSON.parse(body).input.prompt)
    if (body !== undefined && isRejected(prompt)) {
      rejected.push(prompt)
      const error = { code: 'CONTENT_POLICY', message: 'This prompt is not allowed.' }
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      return
    }
    const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
    const method = request.method ?? ''
    const theirs = await fetch(`${cli.url}${request.url}`, { method, headers, body: body ?? null })
    response.writeHead(theirs.status, { 'content-type': 'application/json' }).end(await theirs.text())
  })
  return { rejected, env: { MODELRUN_BASE_URL: url } }
}
