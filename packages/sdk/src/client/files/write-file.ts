import { ConfigurationError, nodeBuiltin, stringIn } from '@modelrun/kit'
import type { OpenedDownload } from './download.ts'

type Fs = FileSystem['fs']
type FileHandle = Awaited<ReturnType<Fs['open']>>

/**
 * Writes a file under a name of its own, and gives it its final name when it is complete.
 *
 * @returns False when a file with other content has the final name; it stays as it is
 */
export async function writeFile(
  transfer: OpenedDownload['transfer'],
  { fs, path, overwrite }: { fs: Fs; path: string; overwrite: boolean },
): Promise<boolean> {
  // Random, so that two processes never write into one file.
  const part = `${path}.${crypto.randomUUID().slice(0, 8)}.part`
  try {
    await writePart(fs, part, transfer)
    if (overwrite) {
      await fs.rename(part, path)
      return true
    }
    return (await publish(fs, part, path)) || (await hasSameContent(fs, part, path))
  } finally {
    transfer.close()
    await fs.rm(part, { force: true })
  }
}

async function writePart(fs: Fs, part: string, transfer: OpenedDownload['transfer']): Promise<void> {
  const file = await fs.open(part, 'wx')
  const next = () => transfer.read({ mayRestart: true })
  try {
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
      if (chunk.at === 0) await file.truncate(0)
      await writeAll(file, chunk.bytes, chunk.at)
    }
    // Else a power failure could leave the final name on a file without content.
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, at + done)
    done += bytesWritten
  }
}

/** Gives a file its final name, unless the name is taken, in one step: another process may do the same. */
async function publish(fs: Fs, part: string, path: string): Promise<boolean> {
  try {
    await fs.link(part, path)
    return true
  } catch (error) {
    if (stringIn(error, 'code') === 'EEXIST' || (await exists(fs, path))) return false
    // Some file systems have no links. Then two processes could still overwrite each other, with whole files.
    await fs.rename(part, path)
    return true
  }
}

async function exists(fs: Fs, path: string): Promise<boolean> {
  return await fs.lstat(path).then(
    () => true,
    () => false,
  )
}

async function hasSameContent(fs: Fs, one: string, other: string): Promise<boolean> {
  const files: FileHandle[] = []
  try {
    for (const path of [one, other]) files.push(await fs.open(path, 'r'))
    for (;;) {
      const [left, right] = await Promise.all(files.map(readBlock))
      if (left === undefined || right === undefined || !left.equals(right)) return false
      if (left.byteLength === 0) return true
    }
  } finally {
    for (const file of files) await file.close()
  }
}

async function readBlock(file: FileHandle) {
  const { buffer, bytesRead } = await file.read()
  return buffer.subarray(0, bytesRead)
}

type FileSystem = ReturnType<typeof fileSystem>

/** @throws ConfigurationError where there is none */
export function fileSystem() {
  // Not imported: browsers have no such modules, and bundlers for them would stumble.
  const fs = nodeBuiltin('node:fs/promises')
  const path = nodeBuiltin('node:path')
  if (fs === undefined || path === undefined) {
    throw new ConfigurationError({ message: 'This runtime has no file system. Use `files.download` instead.' })
  }
  return { fs, path }
}
