import { text } from 'node:stream/consumers'
import { memberOf } from '@modelrun/kit'
import { type CliHarness, serve } from './cli-harness.ts'

/** A batch that no limit slows down. */
export const BATCH = ['batch', 'aurora-image', '--out', 'out', '--max-credits', '100000', '--polls-per-second', '1000']

/** What a service says that rejects a run, or a job that failed. */
export const FAILED = { result: 'failed' as const, error: { code: 'PROVIDER_FAILURE', message: 'no paint' } }

/** Rows of a file of JSON lines. */
export function promptLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `{"prompt":"${index}"}`).join('\n')
}

/** The runs that were sent, in order, with the job that the service made of each. */
export function sentRuns({ server }: CliHarness) {
  return server.journal.entries({ kind: 'request' }).flatMap((entry) => {
    if (entry.kind !== 'request' || entry.route !== 'runModel') return []
    return [{ prompt: String(JSON.parse(entry.requestBody ?? '').input.prompt), jobId: entry.job_id }]
  })
}

/** How often each prompt was sent. */
export function sendsByPrompt(cli: CliHarness, runs = sentRuns(cli)): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { prompt } of runs) counts.set(prompt, (counts.get(prompt) ?? 0) + 1)
  return counts
}

/** A host of small files, which cost no time. */
export async function serveSmallFiles() {
  const url = await serve((request, response) => {
    response.writeHead(files.areMissing ? 404 : 200, { 'content-type': 'image/png' }).end(request.url)
  })
  const files = {
    /** Whether the files are not found. */
    areMissing: false,
    /** The next runs succeed, with these files. */
    script: (cli: CliHarness, count: number) => {
      const outcomes = Array.from({ length: count }, (_, index) => {
        const items = [{ type: 'image', url: `${url}/${index}.png` }]
        return { result: 'succeeded' as const, output: { type: 'image', items } }
      })
      cli.server.script('aurora-image', outcomes)
    },
  }
  return files
}

export type SmallFiles = Awaited<ReturnType<typeof serveSmallFiles>>

/** The service behind something that changes its responses, or responds itself. */
export async function serveBefore(
  cli: CliHarness,
  respond: (body: string | undefined, theirs: () => Promise<[number, object]>) => Promise<[number, object]>,
): Promise<Record<string, string>> {
  const url = await serve(async (request, response) => {
    const { method = '', headers, url: path } = request
    const body = method === 'POST' ? await text(request) : undefined
    const own = { authorization: headers.authorization ?? '', 'content-type': 'application/json' }
    const theirs = async (): Promise<[number, object]> => {
      const passed = await fetch(`${cli.url}${path}`, { method, headers: own, body: body ?? null })
      return [passed.status, await passed.json()]
    }
    // A connection that breaks behind it breaks before it, too.
    const [status, json] = (await respond(body, theirs).catch(() => undefined)) ?? []
    if (status === undefined) return void response.destroy()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  })
  return { MODELRUN_BASE_URL: url }
}

/** The service, whose models have a price, a name and a default that change. */
export async function serveDear(cli: CliHarness) {
  const env = await serveBefore(cli, async (_, theirs) => {
    const [status, json] = await theirs()
    if (!('pricing' in json)) return [status, json]
    const shown = memberOf(json, 'input_schema')
    const properties = { ...Object(memberOf(shown, 'properties')), num_images: dear.parameter }
    const input_schema = { ...Object(shown), properties }
    return [status, { ...json, id: dear.id, pricing: { credits_per_run: dear.price }, input_schema }]
  })
  const dear = { price: 25, id: 'aurora-image', env, parameter: { type: 'integer', default: 1 } }
  return dear
}

/** The service, whose outputs have other items. */
export async function serveItems(cli: CliHarness, items: readonly unknown[]) {
  return await serveBefore(cli, async (_, theirs) => {
    const [status, json] = await theirs()
    return [status, JSON.parse(JSON.stringify(json).replace(/"items":\[[^\]]*\]/, `"items":${JSON.stringify(items)}`))]
  })
}

/** The service behind a filter that rejects some prompts, as many services do. */
export async function rejecting(cli: CliHarness, isRejected: (prompt: string) => boolean) {
  /** The prompts that it rejected. */
  const rejected: string[] = []
  const env = await serveBefore(cli, async (body, theirs) => {
    const prompt = body === undefined ? '' : String(JSON.parse(body).input.prompt)
    if (body === undefined || !isRejected(prompt)) return await theirs()
    rejected.push(prompt)
    return [400, { error: { code: 'CONTENT_POLICY', message: 'This prompt is not allowed.' } }]
  })
  return { rejected, env }
}
