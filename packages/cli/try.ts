import { createReferenceServer } from '@modelrun/reference-server'
import { ModelRun } from 'modelrun'
import { runTypes } from './src/types/run-types.ts'
import { createFileIo } from './src/types/file-io.ts'
const client = new ModelRun(createReferenceServer({ clock: 'auto' }).clientOptions())
const io = { client, ...createFileIo('/tmp/w-types-try'), stdout: (t: string) => { process.stdout.write(t) }, stderr: (t: string) => { process.stderr.write(t) } }
const a = process.argv.slice(2)
const flag = (n: string) => a.includes(n)
const out = a.find((x) => x.startsWith('--out='))?.slice(6)
console.error('exit', await runTypes({ ids: a.filter((x) => !x.startsWith('-')), all: flag('--all'), check: flag('--check'), json: flag('--json'), open: flag('--open'), out }, io))
