// Makes a fresh project with Next.js and builds it, without any key in the environment.
import { spawnSync } from 'node:child_process'
import { createProject, quietly } from './next-project.mjs'

const { folder, next } = createProject(...process.argv.slice(2))
const env = { ...process.env, ...quietly }
process.exitCode = spawnSync(process.execPath, [next, 'build'], { cwd: folder, env, stdio: 'inherit' }).status ?? 1
