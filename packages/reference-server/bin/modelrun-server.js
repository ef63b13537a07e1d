#!/usr/bin/env node
// A committed file, so that npm links the command before the first build.
import { existsSync } from 'node:fs'
import module from 'node:module'

// Node 22 and later keep the compiled code on disk: the next start is faster.
module.enableCompileCache?.()

const cli = new URL('../dist/command/cli.js', import.meta.url)
if (existsSync(cli)) {
  await import(cli.href)
} else {
  console.error('modelrun-server is not built yet: run `npm run build` first.')
  process.exitCode = 1
}
