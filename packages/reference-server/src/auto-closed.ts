/**
 * `Symbol.asyncDispose` where the user's compiler knows it, by `lib: ESNext.Disposable` or the types of Node. Elsewhere, as
 * in a web app with `lib: ES2023`, it would be an error in our declarations.
 */
type AsyncDispose = SymbolConstructor[Extract<keyof SymbolConstructor, 'asyncDispose'>]

/**
 * Closes the server at the end of a block that starts with `await using server = …`. Throws a `LeftoversError` in strict
 * mode, when something is left over.
 */
export type AutoClosed = { [Name in AsyncDispose]: () => Promise<void> }
