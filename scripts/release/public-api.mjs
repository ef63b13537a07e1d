import { join } from 'node:path'
import ts from 'typescript'
import { readJson } from './packed.mjs'

/**
 * What a package exports, by its types: the text of each declaration, by `subpath name`. Comments are not part of it. What a
 * declaration refers to stands in the package's other declarations, which are there by file.
 */
export function publicApi(folder) {
  const { exports = {} } = readJson(join(folder, 'package.json'))
  const entries = Object.entries(exports)
    .map(([path, { import: way }]) => [path, way?.types])
    .filter(([, types]) => types !== undefined)
  const program = ts.createProgram(
    entries.map(([, types]) => join(folder, types)),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2023,
    },
  )
  const checker = program.getTypeChecker()
  return new Map(
    entries.flatMap(([path, types]) =>
      exportsOf(checker, program, join(folder, types)).map(([name, text]) => [`${path} ${name}`, text]),
    ),
  )
}

function exportsOf(checker, program, file) {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  return (module ? checker.getExportsOfModule(module) : []).map((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    return [exported.name, (symbol.declarations ?? []).map(textOf).join('\n')]
  })
}

const printer = ts.createPrinter({ removeComments: true })

function textOf(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return printer.printNode(ts.EmitHint.Unspecified, statement, statement.getSourceFile())
}

/** Names that went, that came, and that changed; `breaks` when a line of a declaration is not there any more. */
export function compareApis(before, after) {
  const gone = [...before.keys()].filter((name) => !after.has(name))
  const come = [...after.keys()].filter((name) => !before.has(name))
  const changed = [...after]
    .filter(([name, text]) => before.has(name) && before.get(name) !== text)
    .map(([name]) => name)
  const isKept = (name) => linesOf(before.get(name)).isSubsetOf(linesOf(after.get(name)))
  return { gone, come, changed, breaks: gone.length > 0 || !changed.every(isKept) }
}

const linesOf = (text) => new Set(text.split('\n').map((line) => line.trim()))
