import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { access, lstat, rename, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { dirname, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { UsageError } from './errors.ts'

/** A holder whose process has been stopped accepts the connection and says nothing. */
const REPLY_WITHIN_MS = 500

/** Longer names of sockets are rejected on macOS; Linux takes four bytes more. */
const LONGEST_SOCKET_NAME = 103

/**
 * The right to write a file, for one server at a time.
 *
 * It is a socket beside the file, on which its holder listens and says its process id. So the system knows whether the
 * holder lives: a process that was killed, or a machine that was started again, leaves a file to which nothing can be
 * connected, whatever process has the same id now. Linux and macOS work alike, and so do two containers with one volume.
 * A lock file with a process id would need the start times of processes and access to other containers; Node has no
 * `flock`.
 */
export class StateLock {
  readonly #path: string
  readonly #server: Server
  /** Number of the socket in its file system: another one has the lock's name when another server took it. */
  readonly #inode: bigint

  constructor(path: string, server: Server, inode: bigint) {
    this.#path = path
    this.#server = server
    this.#inode = inode
  }

  /** False when another server has taken the lock: two that start at the same moment both find it free. */
  async isHeld(): Promise<boolean> {
    const inode = await inodeOf(this.#path)
    return inode === this.#inode || inode === undefined // the lock file was deleted
  }

  async release(): Promise<void> {
    if ((await inodeOf(this.#path)) === this.#inode) await rm(this.#path, { force: true })
    this.#server.close()
  }
}

/**
 * Takes the lock of a file.
 *
 * @param target the file itself, not a link to it
 * @param what what it holds, as in "The state world.json is in use"
 * @returns `undefined` where there can be no sockets: on Windows, on some shared folders, and where the path is too long
 * @throws UsageError when another server holds it, or the folder cannot be written
 */
export async function lockFile(target: string, what: string): Promise<StateLock | undefined> {
  const path = `${target}.lock`
  const name = `The ${what} ${target}`
  await checkFolder(target, name)
  await checkNames(target, name)
  await checkHolder(path, name)
  const ownPath = `${path}.${randomBytes(4).toString('hex')}`
  if (Buffer.byteLength(socketName(ownPath)) > LONGEST_SOCKET_NAME) return undefined
  // The server does not keep the process alive.
  const server = createServer((socket) => socket.on('error', () => {}).end(String(process.pid))).unref()
  try {
    server.listen(socketName(ownPath))
    await once(server, 'listening')
    const inode = await inodeOf(ownPath)
    // It listens already when it gets its name, and takes the place of one that nothing listens on.
    await rename(ownPath, path)
    return inode === undefined ? undefined : new StateLock(path, server, inode)
  } catch {
    server.close()
    return undefined
  }
}

async function checkFolder(target: string, name: string): Promise<void> {
  try {
    await access(dirname(target), constants.W_OK)
  } catch (error) {
    throw new UsageError(`${name} cannot be written: ${error instanceof Error ? error.message : error}`)
  }
}

/** The lock has the name of the file, so a second name (a hard link) would have a second lock. */
async function checkNames(target: string, name: string): Promise<void> {
  const links = await stat(target).then(
    (file) => (file.isFile() ? file.nlink : 1),
    () => 1, // There is no file yet.
  )
  if (links <= 1) return
  throw new UsageError(
    `${name} has ${links} names (hard links), and each could be used by another server. Copy it to a file of its own.`,
  )
}

async function checkHolder(path: string, name: string): Promise<void> {
  const file = await lstat(path).catch(() => undefined)
  if (file === undefined) return
  if (!file.isSocket()) {
    throw new UsageError(`${name} cannot be locked: ${path} is there, and is not a lock. Remove it.`)
  }
  const holder = await holderOf(path)
  if (holder === undefined) return
  throw new UsageError(`${name} is in use: ${holder} writes it. Stop it, or give each server a file of its own.`)
}

/** The process that listens on a socket, in words; `undefined` when none does. */
async function holderOf(path: string): Promise<string | undefined> {
  const socket = connect(socketName(path)).setTimeout(REPLY_WITHIN_MS, () => socket.destroy())
  try {
    await once(socket, 'connect')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // `net` rejects with nothing else
    return code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : `a server that cannot be asked (${code})`
  }
  const reply = await text(socket).catch(() => '')
  return reply === '' ? 'another server' : `the server with the process id ${reply}`
}

/** The shorter of its two names: the length of a socket's name is limited. */
function socketName(path: string): string {
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length ? fromHere : path
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
}
