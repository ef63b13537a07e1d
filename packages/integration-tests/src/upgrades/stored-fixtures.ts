import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { EngineAt } from '../durable/open-engine.ts'

export const FIXTURES = fileURLToPath(new URL('../../upgrades/', import.meta.url))

const EXTENSIONS = { sqlite: 'db', postgres: 'sql', bullmq: 'jsonl' }

/** What a version left behind in a store, and at the service. */
export interface FixtureOf {
  version: string
  kind: EngineAt['kind']
}

export function fixturePath({ version, kind }: FixtureOf, extension = EXTENSIONS[kind]): string {
  return join(FIXTURES, version, `${kind}.${extension}`)
}

/** Writes what is in a store, which may be in use, as a process that is killed leaves it. */
export async function dumpStore(fixture: FixtureOf, at: string): Promise<void> {
  const path = fixturePath(fixture)
  await mkdir(join(path, '..'), { recursive: true })
  await rm(path, { force: true })
  if (fixture.kind === 'sqlite') {
    const database = new DatabaseSync(at)
    database.prepare('VACUUM INTO ?').run(path)
    database.close()
  } else await writeFile(path, fixture.kind === 'postgres' ? await dumpPostgres(at) : await dumpRedis(at))
}

/** Puts a dump into an empty store. */
export async function loadStore(fixture: FixtureOf, at: string): Promise<void> {
  const path = fixturePath(fixture)
  if (fixture.kind === 'sqlite') return copyFile(path, at)
  const text = await readFile(path, 'utf8')
  if (fixture.kind === 'postgres') {
    const client = new pg.Client({ connectionString: at })
    await client.connect()
    await client.query(text)
    await client.end()
    return
  }
  const redis = new Redis(at)
  for (const line of text.trimEnd().split('\n')) {
    const [key, value]: [string, string] = JSON.parse(line) // written by `dumpRedis`
    await redis.restore(key, 0, Buffer.from(value, 'base64'))
  }
  redis.disconnect()
}

/** Without the commands of psql, which are not SQL. */
async function dumpPostgres(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url])
  return stdout.replaceAll(/^\\.*\n/gm, '')
}

/** Without locks and other keys that end by themselves. */
async function dumpRedis(url: string): Promise<string> {
  const redis = new Redis(url)
  const lines: string[] = []
  for (const key of (await redis.keys('*')).toSorted()) {
    const value = (await redis.pttl(key)) === -1 ? await redis.dumpBuffer(key) : null
    if (value !== null) lines.push(`${JSON.stringify([key, value.toString('base64')])}\n`)
  }
  redis.disconnect()
  return lines.join('')
}
