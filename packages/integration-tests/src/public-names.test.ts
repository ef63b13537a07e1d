import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const entries = globSync('packages/*/package.json', { cwd: root }).sort().flatMap(entriesOf)
const files = entries.map(({ file }) => file)
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  { ...ts.sys, readDirectory: () => [] },
  root,
)
const program = ts.createProgram(files, { ...options, stripInternal: false })
const checker = program.getTypeChecker()

it('exports the names of public-names.txt, values and types apart; `vitest -u` writes the file', async () => {
  const lines = entries.flatMap(({ name, file }) => [name, ...exportsOf(file).map(nameLine).sort(), ''])
  await expect(lines.join('\n')).toMatchFileSnapshot('public-names.txt')
})

it.each(files.map((file) => [relative(root, file), file]))('has a hover text for all that %s exports', (_, entry) => {
  const exported = exportsOf(entry as string)
  expect(exported).not.toEqual([])
  expect([...new Set(exported.flatMap(undocumented))].sort()).toEqual([])
})

/** The subpaths of a published package, with the source files behind them. */
function entriesOf(manifestPath: string): { name: string; file: string }[] {
  const manifest = JSON.parse(readFileSync(join(root, manifestPath), 'utf8'))
  if (manifest.private) return []
  const exported = Object.entries<{ '@modelrun/source'?: string }>(manifest.exports)
  return exported.flatMap(([path, { '@modelrun/source': source }]) => {
    if (source === undefined) return []
    return { name: join(manifest.name, path), file: join(root, dirname(manifestPath), source) }
  })
}

function exportsOf(file: string): ts.Symbol[] {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return module ? checker.getExportsOfModule(module) : []
}

function nameLine(exported: ts.Symbol): string {
  const isType = exported.declarations?.some(ts.isTypeOnlyExportDeclaration)
  const isValue = !isType && declared(exported).flags & ts.SymbolFlags.Value
  return `  ${isValue ? 'value' : 'type '} ${exported.name}`
}

function declared(exported: ts.Symbol): ts.Symbol {
  return exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
}

/** What of an export an editor shows without a text, each with its place: the export itself, and each of its members. */
function undocumented(exported: ts.Symbol): string[] {
  const symbol = declared(exported)
  const own = symbol.members?.get(ts.InternalSymbolName.Constructor)
  const missing = membersOf(symbol).filter((member) => isOurs(member) && !hasText(member))
  if (!hasText(symbol)) missing.push(symbol)
  if (own && lacksText(symbol, own)) missing.push(own)
  return missing.map((member) => `${placeOf(member)} ${exported.name}${member === symbol ? '' : `.${member.name}`}`)
}

function placeOf(symbol: ts.Symbol): string {
  const node = symbol.declarations?.[0]
  if (!node) return '?'
  const file = node.getSourceFile()
  return `${relative(root, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
}

function hasText(symbol: ts.Symbol): boolean {
  return /\w/.test(ts.displayPartsToString(symbol.getDocumentationComment(checker)))
}

/** The members that an interface or a class declares or inherits; those of each part of a union of them. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  const types: ts.Type[] = []
  if (symbol.flags & ts.SymbolFlags.Type) types.push(checker.getDeclaredTypeOfSymbol(symbol))
  if (symbol.flags & ts.SymbolFlags.Class) types.push(checker.getTypeOfSymbol(symbol))
  return types
    .flatMap((type) => (type.isUnion() ? type.types : [type]))
    .filter((type) => type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))
    .flatMap((type) => checker.getPropertiesOfType(type))
}

/** False for what comes from a library or an object literal, is private or internal, or has the name of a symbol. */
function isOurs(member: ts.Symbol): boolean {
  const declarations = (member.declarations ?? []).filter(
    ({ parent }) => isHolder(parent) && !parent.getSourceFile().isDeclarationFile,
  )
  if (declarations.length === 0 || /^(__|#|prototype$)/.test(member.name)) return false
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  if (declarations.some((node) => ts.getCombinedModifierFlags(node) & hidden)) return false
  if (isInternal(member)) return false
  return !declarations.some((node) => ts.isClassLike(node.parent) && isOfError(node.parent, member.name))
}

function isHolder(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isClassLike(node)
}

/** Whether a class overrides a property that every `Error` has. */
function isOfError(node: ts.ClassLikeDeclaration, name: string): boolean {
  return ['name', 'message', 'stack', 'cause'].includes(name) && isError(checker.getTypeAtLocation(node))
}

function isError(type: ts.Type): boolean {
  return type.symbol?.name === 'Error' || (type.getBaseTypes() ?? []).some(isError)
}

/** Whether a constructor that users call has no text; errors are not for users to construct. */
function lacksText(owner: ts.Symbol, built: ts.Symbol): boolean {
  return !isError(checker.getDeclaredTypeOfSymbol(owner)) && !isInternal(built) && !hasText(built)
}

function isInternal(symbol: ts.Symbol): boolean {
  return symbol.getJsDocTags(checker).some(({ name }) => name === 'internal')
}
