import ts from 'typescript'

/** A parsed file, with what the compiler takes from its comments. */
export interface Parsed extends ts.SourceFile {
  parseDiagnostics?: readonly unknown[]
  commentDirectives?: readonly unknown[]
  checkJsDirective?: unknown
}

/** Parses a text as the compiler reads it from a file: what a file cannot hold is replaced. */
export function parse(text: string, path: string): Parsed {
  const written = new TextDecoder().decode(new TextEncoder().encode(text))
  const options = { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode: ts.JSDocParsingMode.ParseAll }
  return ts.createSourceFile(path, written, options, true)
}

/** The interface of models in a file of types, when the file has that and the settings and nothing else. */
export function modelsOf(file: ts.SourceFile): ts.InterfaceDeclaration {
  const last = file.statements.at(-1)
  if (last === undefined || !ts.isModuleDeclaration(last) || !last.body || !ts.isModuleBlock(last.body)) {
    throw new Error('The last statement is not a module.')
  }
  const [models, settings, ...more] = last.body.statements
  const settingsText = 'interface ModelInputsSettings {\n    onlyListedModels: true\n  }'
  const isExpected = last.name.getText() === "'modelrun'" && settings?.getText() === settingsText && more.length === 0
  if (!isExpected || models === undefined || !ts.isInterfaceDeclaration(models) || models.name.text !== 'ModelInputs') {
    throw new Error(`The module is not the expected one: ${last.getText().slice(0, 500)}`)
  }
  return models
}

/** The names of the members with their types. Fails for a member that is not a property with a plain name. */
export function membersOf(type: ts.Node): Map<string, ts.TypeNode> {
  if (!ts.isInterfaceDeclaration(type) && !ts.isTypeLiteralNode(type)) throw new Error('The type has no members.')
  return new Map(type.members.map(memberOf))
}

function memberOf(member: ts.TypeElement): [string, ts.TypeNode] {
  if (!ts.isPropertySignature(member) || member.type === undefined) throw new Error('The member is not a property.')
  if (!ts.isIdentifier(member.name) && !ts.isStringLiteral(member.name)) throw new Error('The name is not a plain one.')
  return [member.name.text, member.type]
}

const KEYWORDS = ['string', 'number', 'boolean', 'object', 'unknown', 'undefined', 'readonly unknown[]']

/** The literals of a parameter's type. Fails for a type that is not made of literals and keywords. */
export function literalsOf(type: ts.TypeNode): unknown[] {
  if (ts.isUnionTypeNode(type)) return type.types.flatMap(literalsOf)
  if (KEYWORDS.includes(type.getText())) return []
  if (!ts.isLiteralTypeNode(type)) throw new Error(`A parameter has the type ${type.getText()}.`)
  return [ts.isStringLiteral(type.literal) ? type.literal.text : JSON.parse(type.getText())]
}
