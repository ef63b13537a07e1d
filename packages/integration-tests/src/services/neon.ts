import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type NeonQueryFunction, neon, neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { listenOn } from '../../../kit/test/listen-on.ts'

/** Neon's driver on a Postgres of the test. */
export interface NeonService {
  sql: NeonQueryFunction<false, false>
  /** Number of statements, each a request, since the start. */
  statements(): number
  stop(): Promise<void>
}

/** What Neon's endpoint responds with: values as Postgres writes them, which the driver parses. */
const UNPARSED = { getTypeParser: () => (value: string) => value }

/** Starts an endpoint that runs each request's statement as Neon does: over HTTP, on any connection, without a session. */
export async function startNeon(postgresUrl: string): Promise<NeonService> {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 20 })
  pool.on('error', () => {})
  let statements = 0
  const server = createServer(async (request, response) => {
    statements += 1
    const { query, params } = JSON.parse(await text(request))
    const { status, body } = await run(pool, query, params)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const { port, close } = await listenOn(server)
  neonConfig.fetchEndpoint = () => `http://127.0.0.1:${port}/sql`
  const stop = async () => {
    await close()
    await pool.end()
  }
  return { sql: neon('postgres://app:password@db.example.com/app'), statements: () => statements, stop }
}

async function run(pool: pg.Pool, query: string, params: unknown[]): Promise<{ status: number; body: unknown }> {
  try {
    const result = await pool.query({ text: query, values: params, rowMode: 'array', types: UNPARSED })
    const { command, rowCount, fields, rows } = Array.isArray(result) ? result.at(-1) : result
    return { status: 200, body: { command, rowCount, fields, rows, rowAsArray: true } }
  } catch (error) {
    const { message, code }: { message?: string; code?: string } = Object(error)
    return { status: 400, body: { message, code } }
  }
}
