import { open, realpath, rename, rm } from 'node:fs/promises'

/**
 * Replaces a file, or the file that a link leads to. A reader of it finds the old text or the new one, and never a part,
 * also after a crash. No other user can read it. For one writer at a time.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const next = `${target}.tmp`
  const file = await open(next, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(next, target)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(next, { force: true }).catch(() => {})
    throw error
  }
}
