import { existsSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** The `any`s in the declaration files of a package: those written there, in its entries and what they import. */
export function countAny(entries: readonly string[]): number {
  const seen = new Set<string>()
  const pending = [...entries]
  let count = 0
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest)
    const visit = (node: ts.Node): void => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) count++
      const specifier = specifierOf(node)
      if (specifier?.startsWith('.')) pending.push(...declarationsOf(new URL(specifier, `file://${path}`).pathname))
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return count
}

function specifierOf(node: ts.Node): string | undefined {
  const isModuleNode = ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
  const specifier = isModuleNode ? node.moduleSpecifier : ts.isImportTypeNode(node) ? literalOf(node) : undefined
  return specifier && ts.isStringLiteral(specifier) ? specifier.text : undefined
}

function literalOf(node: ts.ImportTypeNode): ts.Expression | undefined {
  return ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)
    ? node.argument.literal
    : undefined
}

/** The declaration file that a relative import of another one means. */
function declarationsOf(path: string): string[] {
  const stem = path.replace(/\.js$/, '')
  return [`${stem}.d.ts`, `${path}.d.ts`, `${path}/index.d.ts`].filter((candidate) => existsSync(candidate)).slice(0, 1)
}
