import { once } from 'node:events'
import { createServer } from 'node:http'
import type { CliHarness } from './cli-harness.ts'

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
  close(): void
}

export async function serveSmallFiles(): Promise<SmallFiles> {
  const server = createServer((request, response) => response.setHeader('content-type', 'image/png').end(request.url))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    script: (cli, count) => {
      const outcomes = Array.from({ length: count }, (_, index) => {
        const items = [{ type: 'image', url: `http://127.0.0.1:${port}/${index}.png` }]
        return { result: 'succeeded' as const, output: { type: 'image', items } }
      })
      cli.server.script('aurora-image', outcomes)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
