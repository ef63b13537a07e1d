import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createSqliteStore } from 'modelrun/webhooks/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { walkThrough } from './walk-through.ts'

const PROGRAM = fileURLToPath(new URL('./claiming-process.ts', import.meta.url))

const COUNT = 1_000

/** Starts a process that claims when it is told to begin, and ends with the keys that it got. */
async function startClaiming(path: string): Promise<{ begin(): Promise<string[]> }> {
  const child = spawn(process.execPath, ['--conditions=@modelrun/source', PROGRAM, path, String(COUNT)])
  const closed = once(child, 'close')
  const errors = text(child.stderr)
  const lines: string[] = []
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
  await Promise.race([once(output, 'line'), closed])
  const begin = async () => {
    child.stdin.write('begin')
    expect([await closed, await errors]).toEqual([[null, 'SIGKILL'], ''])
    return lines.slice(1)
  }
  return { begin }
}

it('gives each record to one of four processes that open a new SQLite file and claim at the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'modelrun-sqlite-processes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'inbox.db')
  const processes = await Promise.all(Array.from({ length: 4 }, () => startClaiming(path)))
  const shares = await Promise.all(processes.map(({ begin }) => begin()))
  const claimed = shares.flat()
  expect(claimed).toHaveLength(COUNT)
  expect(new Set(claimed).size).toBe(COUNT)
  // Else they ran one after the other, and nothing was tried.
  expect(shares.filter((share) => share.length > 0).length).toBeGreaterThan(1)

  const store = createSqliteStore({ path })
  const records = await store.list('leased', { limit: 2 * COUNT })
  expect(records).toHaveLength(COUNT)
  expect(records.filter(({ fence, attempt }) => fence !== 1 || attempt !== 1)).toEqual([])
  await walkThrough(store)
  store.close()
})
