import { join } from 'node:path'

// The project is inside of a repository that has more lock files: this is the folder whose packages it uses.
const root = join(import.meta.dirname, '../../..')

export default { outputFileTracingRoot: root, turbopack: { root } }
