import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Databases do not run as root. As root, tests start them as the user that Debian makes for Postgres, or as nobody. */
export async function unprivilegedUser(): Promise<{ uid: number; gid: number } | { uid?: undefined; gid?: undefined }> {
  if (process.getuid?.() !== 0) return {}
  const name = await run('id', ['-u', 'postgres']).then(
    () => 'postgres',
    () => 'nobody',
  )
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)))
  if (uid === undefined || gid === undefined) throw new Error(`There is no user ${name} to run databases as.`)
  return { uid, gid }
}
