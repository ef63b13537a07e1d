const MODULES = ['modelrun', 'modelrun/webhooks', '@modelrun/reference-server', 'node:assert/strict']

/** Whether a program of a guide runs in a page: it brings its own service, and needs no file and no other package. */
export function isRunnable(code: string): boolean {
  const imported = [...code.matchAll(/\bfrom '([^']+)'/g)].map(([, name = '']) => name)
  return (
    code.includes('createReferenceServer(') &&
    !/\.save\(|\bprocess\./.test(code) &&
    imported.every((name) => MODULES.includes(name))
  )
}
