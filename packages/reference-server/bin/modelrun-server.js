#!/usr/bin/env node
// A committed file, so that npm links the command before the first build.
await import('../dist/node/cli.js')
