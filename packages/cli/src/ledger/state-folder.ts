import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where the command keeps what must outlive it: `MODELRUN_STATE_DIR`, else the XDG state folder. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env.MODELRUN_STATE_DIR) return env.MODELRUN_STATE_DIR
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'modelrun')
}
