import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file. A reader of it finds the old text or the new one, and never a part, also after a crash. No other user
 * can read it.
 *
 * @param check rejects when another process has taken the file
 */
export async function replaceFile(path: string, parts: Iterable<string>, check: () => Promise<void>): Promise<void> {
  const next = `${path}.${randomBytes(4).toString('hex')}.tmp`
  const file = await open(next, 'wx', 0o600)
  try {
    for (const part of parts) await file.writeFile(part)
    await file.sync()
    await file.close()
    await check()
    await rename(next, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(next, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** So that the new name outlives a crash of the machine. Where a folder cannot be opened, the system sees to it. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
