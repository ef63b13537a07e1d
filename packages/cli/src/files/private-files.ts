import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname } from 'node:path'

/** Creates a folder and its parents. `mkdir` with `recursive` never ends where no folder can be created, as under /proc. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    fs.mkdirSync(folder, { mode })
  } catch (error) {
    // Another process may have created it.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Creates a folder for its user alone. @throws Error for a link: another user may have put it there */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, 0o700)
  const found = fs.lstatSync(folder)
  if (found.isSymbolicLink()) throw new Error(`${folder} is a link`)
  if ((found.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700)
}

/** Writes a file for its user alone, whole or not at all. A link or a file that is there is replaced, and not followed. */
export function writePrivate(path: string, content: string | Uint8Array): void {
  const own = `${path}.${randomUUID()}`
  try {
    writeTo(fs.openSync(own, 'wx', 0o600), content)
    fs.renameSync(own, path)
  } catch (error) {
    fs.rmSync(own, { force: true })
    throw error
  }
}

/** Appends to a file for its user alone. @throws Error for a link */
export function appendPrivate(path: string, content: string): void {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = fs.constants
  writeTo(fs.openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600), content)
}

function writeTo(file: number, content: string | Uint8Array): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  try {
    for (let written = 0; written < bytes.length; ) written += fs.writeSync(file, bytes, written)
    // What comes after a paid run must not be lost with the power.
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}
