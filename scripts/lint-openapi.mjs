// Lints the OpenAPI document with Redocly CLI; `redocly.yaml` has the rules.
import { spawnSync } from 'node:child_process'

// Else it asks the registry for a newer version of itself.
const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const { status } = spawnSync('redocly', ['lint'], { stdio: 'inherit', env, shell: process.platform === 'win32' })
process.exitCode = status ?? 1
