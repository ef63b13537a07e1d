// The project is inside of a repository that has more lock files: this is the folder whose packages it uses.
const root = new URL('../../..', import.meta.url).pathname

export default { outputFileTracingRoot: root, turbopack: { root } }
